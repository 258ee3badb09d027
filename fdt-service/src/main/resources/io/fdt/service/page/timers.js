// Recurring tasks.

import {ask, get, may, part, post} from './api.js';
import {duration, time} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, table} from './parts.js';
import {openSheet} from './sheet.js';
import {what} from './tasks.js';

export function timersView(draw) {
  let timers = null;
  const load = attempt(async () => {
    timers = (await get('timers')).timers;
    draw();
  });
  const change = (timer, word, label) => button(label, async () => {
    await post(`timers/${part(timer.name)}/${word}`);
    await load();
  }, {label: label + ' ' + timer.name, disabled: !timer.next});
  const remove = async timer => {
    if (await confirm(`Remove the timer ${timer.name}? Its tasks stay.`, 'Remove')) {
      await ask('DELETE', 'timers/' + part(timer.name));
      await load();
    }
  };
  load();
  return {
    title: () => 'Timers',
    content: () => html`
      ${may('tasks') ? html`<div class="row">
        ${button('New timer', () => openSheet({}, true, load), {style: 'main'})}</div>` : nothing}
      <p class="note">${timers?.length === 0
        ? 'There are no timers yet. A timer submits the same transfer again and again.' : ''}</p>
      ${table('Timers', timers ?? [], timer => timer.name, [
        ['Name', timer => timer.name],
        ['Transfer', timer => what(timer.task)],
        ['How often', timer => html`every ${duration(timer.interval)}
          ${timer.window ? html`<div class="soft">${timer.window}</div>` : nothing}`],
        ['Next', timer => html`${!timer.next ? 'ended' : timer.paused ? 'paused' : time(timer.next)}
          ${timer.end && timer.next ? html`<div class="soft">until ${time(timer.end)}</div>` : nothing}`],
        ['Tasks', timer => html`${timer.last_task
          ? html`<a href="#/tasks/${timer.last_task}" aria-label="Last task of ${timer.name}">${timer.runs} so far</a>`
          : 'none so far'}
          ${timer.message ? html`<div class="error">${timer.message}</div>` : nothing}`, 'optional'],
        may('tasks') && ['Actions', timer => html`<div class="row">
          ${timer.paused ? change(timer, 'resume', 'Resume') : change(timer, 'pause', 'Pause')}
          ${button('Remove', () => remove(timer), {label: 'Remove ' + timer.name})}</div>`],
      ])}`,
  };
}
