// Recurring tasks.

import {ask, get, may, part, post} from './api.js';
import {duration, shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, icon, loading, state, table, tool} from './parts.js';
import {openSheet} from './sheet.js';
import {nameOf, what} from './tasks.js';

export function timersView(draw) {
  let timers = null;
  const load = attempt(async () => {
    timers = (await get('timers')).timers;
    draw();
  });
  const change = (timer, word, label) => timer.next ? tool({pause: 'pause', resume: 'play'}[word], label + ' ' + timer.name, async () => {
    await post(`timers/${part(timer.name)}/${word}`);
    await load();
  }) : nothing;
  const remove = async timer => {
    if (await confirm(`Remove the timer ${timer.name}?`, 'Its tasks stay.', 'Remove')) {
      await ask('DELETE', 'timers/' + part(timer.name));
      await load();
    }
  };
  load();
  return {
    title: () => 'Timers',
    actions: () => may('tasks') ? button('New timer', () => openSheet({}, true, load), {style: 'main', sign: 'plus'}) : nothing,
    content: () => html`
      <p class="note">A timer submits the same transfer again and again.</p>
      <div class="card flush">${timers === null ? loading : timers.length === 0
        ? state('timer', 'There are no timers yet.', 'A mirror each night, the results of each hour: a timer submits that task, and Activity shows it.')
        : nothing}
      ${table('Timers', timers ?? [], timer => timer.name, [
        ['Name', timer => html`<strong>${timer.name}</strong><div class="sub">${nameOf(timer.task)}</div>`, 'name'],
        ['Transfer', timer => what(timer.task)],
        ['Interval', timer => html`every ${duration(timer.interval)}
          ${timer.window ? html`<div class="sub">${timer.window}</div>` : nothing}`],
        ['Next', timer => html`${!timer.next ? html`<span class="badge cancelled">${icon('ban')}ended</span>`
          : timer.paused ? html`<span class="badge paused">${icon('circle-pause')}paused</span>` : shortTime(timer.next)}
          ${timer.end && timer.next ? html`<div class="sub">until ${shortTime(timer.end)}</div>` : nothing}`, 'labelled'],
        ['Tasks', timer => html`${timer.last_task
          ? html`<a href="#/tasks/${timer.last_task}" aria-label="Last task of ${timer.name}">${timer.runs} so far</a>`
          : html`<span class="soft">none so far</span>`}
          ${timer.message ? html`<div class="sub error">${timer.message}</div>` : nothing}`, 'labelled'],
        may('tasks') && ['Actions', timer => html`<div class="row tight end">
          ${timer.paused ? change(timer, 'resume', 'Resume') : change(timer, 'pause', 'Pause')}
          ${tool('trash-2', 'Remove ' + timer.name, () => remove(timer))}</div>`, 'act'],
      ])}</div>`,
  };
}
