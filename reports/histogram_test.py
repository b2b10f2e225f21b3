import unittest

from histogram import bars_of, histogram
from reading import Margin


def margin(*classes: tuple[int, int], unit: str = "ns") -> Margin:
    return Margin("shortest gap", 0, unit, [], histogram=classes)


def plain(only: Margin) -> str:
    return histogram([only]).replace("\N{NO-BREAK SPACE}", " ")


class Histogram(unittest.TestCase):
    def test_the_runs_of_a_cell_are_added_up(self) -> None:
        bars = bars_of([margin((8, 4), (16, 5)), margin((8, 1), (10, 2))])
        assert bars is not None
        self.assertEqual(bars.counts, [5, 2, 0, 0, 5])  # classes 8, 10, 12, 14, 16
        self.assertEqual((bars.low, bars.high, bars.median, bars.total), (8, 20, 10, 12))

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
        text = plain(margin((1 << 20, 9), (1 << 22, 3)))
        self.assertIn('role="img" aria-label="12 values from 1.05 ms to 5.24 ms on a logarithmic '
                      'axis; the median is about 1.05 ms"', text)
        self.assertIn("median of 12: about 1.05 ms", text)

    def test_values_of_one_class_are_told_in_words(self) -> None:
        self.assertIn("all 9 values are from 2 tokens to below 3 tokens",
                      plain(margin((2, 9), unit="tokens")))
        self.assertEqual(histogram([margin((2, 9))], alone=False), "")


if __name__ == "__main__":
    unittest.main()
