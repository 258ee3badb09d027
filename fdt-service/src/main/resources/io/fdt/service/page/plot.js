// The rate over time.

import {bytes, el, remaining} from './dom.js';

const NS = 'http://www.w3.org/2000/svg';
const MOST = 1200;

const svg = (tag, attributes) => {
  const element = document.createElementNS(NS, tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
};

export class Plot {
  constructor() {
    this.points = []; // [milliseconds since 1970, bytes per second]
    this.area = svg('polygon', {class: 'area'});
    this.line = svg('polyline', {});
    this.svg = svg('svg', {class: 'plot', role: 'img', viewBox: '0 0 100 100', preserveAspectRatio: 'none'});
    this.svg.append(svg('line', {class: 'grid', x1: 0, x2: 100, y1: 50, y2: 50}), this.area, this.line);
    this.most = el('span', {class: 'most'});
    this.half = el('span', {class: 'half'});
    this.span = el('span', {class: 'span'});
    this.element = el('div', {class: 'plotting'}, this.svg,
        el('div', {class: 'scale', 'aria-hidden': 'true'}, this.most, this.half), this.span);
    this.draw();
  }

  /** What the service knows from before this page was open. */
  begin(history) {
    const begin = Date.parse(history.begin || 0);
    const before = history.rates.map((rate, i) => [begin + i * history.interval_ms, rate]);
    const last = before.length === 0 ? 0 : before[before.length - 1][0];
    this.points = [...before, ...this.points.filter(point => point[0] > last)];
    this.draw();
  }

  add(rate, now) {
    this.points.push([now, rate]);
    if (this.points.length > MOST) {
      this.points.splice(0, this.points.length - MOST);
    }
    this.draw();
  }

  draw() {
    const rates = this.points.map(point => point[1]);
    const most = Math.max(0, ...rates);
    const scale = most * 1.05 || 1;
    const begin = this.points[0]?.[0] || 0;
    const length = (this.points[this.points.length - 1]?.[0] || 0) - begin;
    const places = this.points.map(([at, rate]) =>
      `${(100 * (at - begin) / (length || 1)).toFixed(2)},${(100 - 100 * rate / scale).toFixed(2)}`);
    this.line.setAttribute('points', places.join(' '));
    this.area.setAttribute('points', places.length === 0 ? '' : `0,100 ${places.join(' ')} 100,100`);
    this.most.textContent = bytes(Math.round(scale)) + '/s';
    this.half.textContent = bytes(Math.round(scale / 2)) + '/s';
    this.span.textContent = length > 0 ? 'the last ' + remaining(length / 1000) : '';
    this.element.hidden = this.points.length === 0;
    this.svg.setAttribute('aria-label', `Rate: now ${bytes(rates[rates.length - 1] || 0)}/s, at most ${bytes(most)}/s`);
  }
}
