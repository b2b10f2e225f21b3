import unittest

from histogram import bars_of, histogram
from reading import Margin


def margin(*classes: tuple[int, int], unit: str = "ns") -> Margin:
    return Margin("shortest gap", 0, unit, [], histogram=classes)


class Histogram(unittest.TestCase):
    def test_the_runs_of_a_cell_are_added_up(self) -> None:
        bars = bars_of([margin((8, 4), (16, 5)), margin((8, 1), (10, 2))])
        assert bars is not None
        self.assertEqual(bars.counts, [5, 2, 0, 0, 5])  # classes 8, 10, 12, 14, 16
        self.assertEqual((bars.low, bars.high, bars.median, bars.total), (8, 16, 10, 12))

    def test_the_median_is_the_class_of_the_middle_value(self) -> None:
        for classes, median in ((((1, 4), (2, 4)), 1), (((1, 4), (2, 5)), 2),
                                (((0, 99), (1 << 40, 1)), 0)):
            bars = bars_of([margin(*classes)])
            assert bars is not None
            self.assertEqual(bars.median, median, classes)

    def test_a_wide_range_has_a_bar_for_each_power_of_two(self) -> None:
        bars = bars_of([margin((0, 1), (7, 3), (8, 3), (14, 3), (7 << 60, 2))])
        assert bars is not None
        self.assertEqual((sum(bars.counts), len(bars.counts)), (12, 62))
        self.assertEqual(bars.counts[:3], [1, 3, 6])  # from 0, from 4, from 8

    def test_few_values_have_no_picture(self) -> None:
        self.assertEqual(histogram([margin((8, 7))]), "")
        self.assertEqual(histogram([]), "")

    def test_the_picture_is_told_to_a_screen_reader_with_units(self) -> None:
        text = histogram([margin((1_000_000, 9), (4_000_000, 3))]).replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn('role="img" aria-label="12 values from 1 ms to 4 ms; the median is 1 ms', text)
        self.assertIn("median 1 ms of 12", text)
        self.assertIn("2 tokens", histogram([margin((2, 9), unit="tokens")]))


if __name__ == "__main__":
    unittest.main()
