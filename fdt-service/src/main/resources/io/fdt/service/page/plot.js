// The rate over time.

import {bytes} from './dom.js';

const NS = 'http://www.w3.org/2000/svg';
const MOST = 600;

export class Plot {
  constructor() {
    this.points = [];
    this.element = document.createElementNS(NS, 'svg');
    this.element.setAttribute('class', 'plot');
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('viewBox', '0 0 100 100');
    this.element.setAttribute('preserveAspectRatio', 'none');
    this.line = document.createElementNS(NS, 'polyline');
    this.element.append(this.line);
    this.draw();
  }

  add(rate) {
    this.points.push(rate);
    if (this.points.length > MOST) {
      this.points.shift();
    }
    this.draw();
  }

  draw() {
    const most = Math.max(1, ...this.points);
    const last = this.points[this.points.length - 1] || 0;
    const step = 100 / Math.max(1, this.points.length - 1);
    this.line.setAttribute('points', this.points
        .map((rate, i) => `${(i * step).toFixed(2)},${(97 - 94 * rate / most).toFixed(2)}`).join(' '));
    this.element.setAttribute('aria-label',
        `Rate: now ${bytes(last)}/s, at most ${bytes(most === 1 ? 0 : most)}/s`);
  }
}
