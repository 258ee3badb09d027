// The rate over time, drawn by uPlot.

import {bytes, clock, remaining, shortTime} from './format.js';

const MOST = 1200;
const HEIGHT = 180;

/** Steps of the time axis, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 172800];

const asRate = rate => bytes(Math.round(rate)) + '/s';

/** A colour of the style sheet, as it is now: light or dark. */
const colour = name => () => getComputedStyle(document.documentElement).getPropertyValue(name);

export class Plot {
  constructor() {
    this.seconds = []; // since 1970
    this.rates = []; // bytes per second
    this.element = document.createElement('div');
    this.element.className = 'plot';
    this.element.setAttribute('role', 'img');
    const axis = {stroke: colour('--soft'), grid: {stroke: colour('--line'), width: 1}, ticks: {show: false},
      font: '12px Inter, system-ui, sans-serif'};
    const {uPlot} = globalThis;
    this.plot = new uPlot({
      width: 0,
      height: HEIGHT,
      legend: {markers: {show: false}},
      hooks: {setCursor: [({cursor}) => this.element.classList.toggle('pointed', Number.isInteger(cursor.idx))]},
      cursor: {drag: {x: false, y: false}, y: false},
      scales: {y: {range: (plot, least, most) => [0, most * 1.05 || 1]}},
      axes: [{...axis, space: 90, size: 30, incrs: STEPS, values: (plot, splits, axis, space, step) =>
        splits.map(step < 43200 ? clock : seconds => shortTime(seconds * 1000))},
        {...axis, size: 90, incrs: Array.from({length: 50}, (_, power) => 2 ** power),
          values: (plot, splits) => splits.map(asRate)}],
      series: [{label: 'Time', value: (plot, seconds) => seconds ? clock(seconds) : '-'},
        {label: 'Rate', value: (plot, rate) => rate === null ? '-' : asRate(rate),
          stroke: colour('--accent'), fill: colour('--fill'), width: 2, points: {show: false}}],
    }, [[], []], this.element);
    this.sizes = new ResizeObserver(() => this.plot.setSize({width: this.element.clientWidth, height: HEIGHT}));
    this.sizes.observe(this.element);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.scheme.onchange = () => this.plot.redraw();
  }

  get isEmpty() {
    return this.seconds.length === 0;
  }

  /** Rates that the service measured before this page was open. */
  begin(history) {
    const begin = Date.parse(history.begin || 0) / 1000;
    const before = history.rates.map((rate, i) => begin + i * history.interval_ms / 1000);
    const later = this.seconds.findIndex(second => second > (before[before.length - 1] ?? 0));
    const kept = later < 0 ? this.seconds.length : later;
    this.seconds = [...before, ...this.seconds.slice(kept)];
    this.rates = [...history.rates, ...this.rates.slice(kept)];
    this.show();
  }

  end() {
    this.scheme.onchange = null;
    this.sizes.disconnect();
    this.plot.destroy();
  }

  add(rate, now) {
    this.seconds.push(now / 1000);
    this.rates.push(rate);
    this.show();
  }

  /** The rate is zero until the next one. */
  stop() {
    if (this.rates.at(-1) > 0) {
      this.add(0, Date.now());
    }
  }

  show() {
    this.seconds = this.seconds.slice(-MOST);
    this.rates = this.rates.slice(-MOST);
    this.plot.setData([this.seconds, this.rates]);
    const last = this.seconds.length - 1;
    this.element.setAttribute('aria-label', `Rate: now ${asRate(this.rates[last] ?? 0)}, at most ${
      asRate(Math.max(0, ...this.rates))} in the last ${remaining(this.seconds[last] - this.seconds[0])}`);
  }
}
