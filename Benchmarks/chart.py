"""Draws the picture of docs/dev/performance.md: SVG with four logarithmic panels, for light and dark pages."""
import math

STYLE = """
  text { font: 12px sans-serif; fill: #333; }
  .title { font-weight: bold; font-size: 13px; }
  .grid { stroke: #ddd; } .axis { stroke: #888; fill: none; }
  .a { stroke: #0a5fb4; fill: #0a5fb4; } .b { stroke: #c2500a; fill: #c2500a; }
  .c { stroke: #2f7d32; fill: #2f7d32; } .d { stroke: #8e44ad; fill: #8e44ad; }
  .line { fill: none; stroke-width: 2; } text.a, text.b, text.c, text.d { stroke: none; }
  .bound { stroke: #888; stroke-dasharray: 5 4; fill: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd; } .grid { stroke: #444; } .axis, .bound { stroke: #999; }
    .a { stroke: #6db3f2; fill: #6db3f2; } .b { stroke: #f0a060; fill: #f0a060; }
    .c { stroke: #7ccf80; fill: #7ccf80; } .d { stroke: #c99be0; fill: #c99be0; }
    .line { fill: none; } text.a, text.b, text.c, text.d { stroke: none; }
  }
"""
WIDTH, HEIGHT = 300, 200


def logarithmic(least, most):
    """Ratio of the times with `most` and `least` rows under logarithmic growth."""
    return math.log(most) / math.log(least)


def words(value):
    """A number as an axis label."""
    return '%g million' % (value / 1_000_000) if value >= 1_000_000 else '{:,g}'.format(value).replace(',', ' ')


class Panel:
    """One diagram; both axes are logarithmic and end at powers of ten."""

    def __init__(self, left, top, title, unit, across, values):
        self.left, self.top = left, top
        self.x = (math.floor(math.log10(min(across))), math.ceil(math.log10(max(across))))
        self.y = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
        if self.y[0] == self.y[1]:
            self.y = (self.y[0], self.y[1] + 1)
        self.parts = ['<text class="title" x="%d" y="%d">%s</text>' % (left, top - 40, title)]
        self.named = 0
        for power in range(self.x[0], self.x[1] + 1):
            x, _ = self.at(10 ** power, 10 ** self.y[0])
            self.parts.append('<path class="grid" d="M%.1f %dv%d"/>' % (x, top, HEIGHT))
            self.parts.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (
                x, top + HEIGHT + 16, words(10 ** power)))
        for power in range(self.y[0], self.y[1] + 1):
            _, y = self.at(10 ** self.x[0], 10 ** power)
            self.parts.append('<path class="grid" d="M%d %.1fh%d"/>' % (left, y, WIDTH))
            self.parts.append('<text x="%d" y="%.1f" text-anchor="end">%s %s</text>' % (
                left - 6, y + 4, words(10 ** power), unit))
        self.parts.append('<path class="axis" d="M%d %dv%dh%d"/>' % (left, top, HEIGHT, WIDTH))

    def at(self, x, y):
        """Position of a point in the picture."""
        across = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return self.left + across * WIDTH, self.top + (1 - up) * HEIGHT

    def path(self, points):
        return 'M' + 'L'.join('%.1f %.1f' % self.at(x, y) for x, y in points)

    def line(self, name, style, points):
        """Adds a line, and its name below the title, two names to a row."""
        self.parts.append('<path class="line %s" d="%s"/>' % (style, self.path(points)))
        for x, y in points:
            self.parts.append('<circle class="%s" cx="%.1f" cy="%.1f" r="3"/>' % (style, *self.at(x, y)))
        self.parts.append('<text class="%s" x="%d" y="%d">● %s</text>' % (
            style, self.left + self.named % 2 * 150, self.top - 24 + self.named // 2 * 15, name))
        self.named += 1

    def bound(self, first, last, factor):
        """Adds a dashed line from the first point to `factor` times its value, cut at the panel's top."""
        x, y = first
        top = min(y * factor, 10.0 ** self.y[1])
        share = math.log(top / y) / math.log(factor)
        end = x * (last / x) ** share
        self.parts.append('<path class="bound" d="%s"/>' % self.path([(x, y), (end, top)]))


def growth(by_sources, by_rows):
    """The picture; both arguments map a count to (time, peak) by name of series."""
    panels = []
    for row, (values, what) in enumerate(((by_sources, 'poll round by sources'), (by_rows, 'upsert by rows before'))):
        across = list(values)
        names = list(values[across[0]])
        for column, (kind, unit) in enumerate((('Time', 's'), ('Peak memory', 'MB'))):
            lines = {name: [(n, values[n][name][column]) for n in across] for name in names}
            panel = Panel(80 + column * (WIDTH + 90), 56 + row * (HEIGHT + 90), '%s: %s' % (kind, what), unit,
                          across, [value for line in lines.values() for _, value in line])
            if len(across) > 1:
                factor = across[-1] / across[0] if row == 0 else logarithmic(across[0], across[-1])
                panel.bound(lines[names[0]][0], across[-1], factor)
            for style, name in zip('abcd', names):
                panel.line(name, style, lines[name])
            panels += panel.parts
    size = (80 + 2 * WIDTH + 90 + 40, 56 + 2 * HEIGHT + 90 + 60)
    note = 'dashed: in proportion to the sources; with the logarithm of the rows. All axes are logarithmic.'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n'
        '<title>Time and memory by sources and by rows</title>\n'
        '<style>%s</style>\n%s\n<text x="80" y="%d">%s</text>\n</svg>\n'
    ) % (*size, STYLE, '\n'.join(panels), size[1] - 14, note)
