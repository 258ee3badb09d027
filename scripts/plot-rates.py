#!/usr/bin/env python3
"""Draws the rates of FDT beside its peers from the first table of docs/PERFORMANCE.md, or from that of bench-host.py:
plot-rates.py PAGE OUT.svg"""
import re
import sys
from html import escape

# What a case counts, and how much of it there is.
CASES = {"100,000 small files": ("files/s", 100_000), "one file of 4 GiB": ("MiB/s", 4096)}
NAMES = {"fdt": "FDT", "fdt-server": "FDT, running server", "fdt-warm": "FDT, running server and client", "globus": "globus-url-copy",
         "wdt": "WDT, without checksums", "wdt-crc": "WDT"}
WIDTH, LEFT, RIGHT, BAR, STEP = 760, 230, 90, 20, 28


def measured(page):
    """The seconds of each tool in each case."""
    table = re.search(r"## Small files and large files\n(.*?)\n## ", page, re.S).group(1)
    cases, case = {}, None
    for row in re.findall(r"^\|(.+)\|$", table, re.M):
        cells = [cell.strip() for cell in row.split("|")]
        case = cells[0] or case
        if case in CASES and re.fullmatch("[0-9.]+", cells[2]):
            cases.setdefault(case, []).append((cells[1], float(cells[2])))
    return cases


def measured_here(page):
    """The same for the table of one host, whose cases end with their size."""
    cases = {}
    for case, size, tool, seconds in re.findall(r"^\| (.+, ([0-9]+) MiB) \| (.+?) \| ([0-9.]+) \|", page, re.M):
        CASES[case] = ("MiB/s", int(size))
        cases.setdefault(case, []).append((tool, float(seconds)))
    return cases


def text(x, y, content, style="", anchor="start"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{style}">{escape(content)}</text>'


def draw(cases, note):
    parts, y = [], 34
    for case, tools in cases.items():
        unit, amount = CASES[case]
        rates = sorted(((amount / seconds, tool) for tool, seconds in tools), reverse=True)
        parts.append(text(16, y, f"{case[0].upper()}{case[1:]}, {unit}", "head"))
        y += 14
        for rate, tool in rates:
            length = (WIDTH - LEFT - RIGHT) * rate / rates[0][0]
            style = "own" if tool.startswith("fdt") else "peer"
            parts.append(text(LEFT - 10, y + 15, NAMES.get(tool, tool), style + "-name", "end"))
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="4" class="{style}"/>')
            parts.append(text(LEFT + length + 8, y + 15, f"{rate:,.0f}", "rate"))
            y += STEP
        y += 30
    parts.append(text(16, y - 8, f"{note}. Longer is faster.", "note"))
    style = (
        "text{font:13px Inter,system-ui,sans-serif;fill:#15181c}.head{font-weight:650;font-size:14px}.own-name{font-weight:650}"
        ".peer-name,.note{fill:#565e69}.note{font-size:11px}.rate{font-variant-numeric:tabular-nums}.own{fill:#2b59c3}.peer{fill:#b6bec9}"
        "rect.ground{fill:#fff;stroke:#dfe3e8}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" role="img">\n'
        f"<title>Rates of FDT and its peers</title>\n<style>{style}</style>\n"
        f'<rect class="ground" x=".5" y=".5" width="{WIDTH - 1}" height="{y + 7}" rx="12"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    if page.startswith("## Rates of one host"):
        cases, note = measured_here(page), page.split("\n")[2].split(";")[0]
    else:
        day = re.search(r"\(#small-files-and-large-files\)[^|]*\|[^|]*\| ([0-9-]+) \|", page).group(1)
        cases = measured(page)
        note = f"Both ends on one machine of two processors, in memory, with defaults; median of three rounds, {day}"
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(draw(cases, note))


main()
