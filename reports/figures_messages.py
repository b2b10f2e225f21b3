"""Draws the messages of a timeline as arrows between the lanes of clients and servers."""

from matplotlib.axes import Axes

from figures_svg import SMALL
from lanes import place_texts
from messages import Message
from palette import LIGHT
from timescale import TimeScale

# Ends of an arrow, as offsets from the middle of the client's lane and of the server's; > 0: below.
ENDS_Y = (0.08, -0.2)
TEXT_Y = 0.12


def draw_messages(axes: Axes, scale: TimeScale, points_wide: float,
                  messages: list[tuple[Message, int, int]]) -> None:
    """Draws an arrow for each message, given with the indices of its client's and server's lane."""
    for message, client_y, server_y in messages:
        x = scale.x(message.at_ns)
        ends = [client_y + ENDS_Y[0], server_y + ENDS_Y[1]]
        axes.plot([x, x], ends, color=LIGHT["muted"], linewidth=0.6, zorder=1.5)
        axes.plot([x], [ends[0] if message.is_reply else ends[1]], linestyle="",
                  marker="^" if message.is_reply else "v", markersize=3.4, color=LIGHT["muted"],
                  zorder=4.5)
    for server_y in dict.fromkeys(y for _, _, y in messages):
        texts = [(scale.x(message.at_ns), message.command)
                 for message, _, y in messages if y == server_y and not message.is_reply]
        for left, text in place_texts(texts, points_wide):
            axes.text(left, server_y + TEXT_Y, text, va="center", fontsize=SMALL,
                      color=LIGHT["ink"], zorder=6)
