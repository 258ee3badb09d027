// Signing in, and which view is shown.

import {ask, get, listen, post, silence} from './api.js';
import {attempt, el, field, show, tell} from './dom.js';
import {filesView} from './browser.js';
import {taskView, tasksView} from './tasks.js';
import {endpointsView} from './endpoints.js';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
let leave = () => {};

async function signIn(link) {
  await post('session', {link});
  history.replaceState(null, '', '/#/files');
}

function signInView(message) {
  nav.hidden = true;
  const input = el('input', {name: 'link', autocomplete: 'off', required: true});
  show(main,
      el('h1', {tabindex: '-1'}, 'Sign in'),
      el('p', {}, message),
      el('p', {}, 'The terminal in which the service was started shows a link. Another one: ',
          el('code', {}, 'fdt service link')),
      el('form', {class: 'row', submit: attempt(async () => {
        await signIn(input.value.replace(/.*#link=/, '').trim());
        await start();
      })},
      field('Link', input, true), el('button', {class: 'main'}, 'Sign in')));
  document.title = 'Sign in - FDT';
}

function route() {
  leave();
  const words = location.hash.replace(/^#\/?/, '').split('/');
  for (const link of nav.querySelectorAll('a')) {
    const isHere = link.getAttribute('href') === '#/' + (words[0] || 'files');
    if (isHere) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  const views = {tasks: words[1] ? taskView : tasksView, endpoints: endpointsView};
  const view = views[words[0]] || filesView;
  const [title, end] = view(main, words[1]);
  leave = end || (() => {});
  document.title = title + ' - FDT';
  main.querySelector('h1')?.focus();
}

async function start() {
  const link = location.hash.match(/^#link=(.+)$/);
  try {
    if (link) {
      await signIn(link[1]);
    }
    await get('session');
  } catch (error) {
    history.replaceState(null, '', '/');
    signInView(error.status === 401 || error.status === 400 ? error.message : String(error.message));
    return;
  }
  nav.hidden = false;
  listen(() => get('session').catch(error => {
    if (error.status === 401) {
      silence();
      signInView(error.message);
    }
  }));
  route();
}

document.getElementById('sign-out').addEventListener('click', attempt(async () => {
  await ask('DELETE', 'session');
  silence();
  leave();
  tell('Signed out.');
  signInView('You are signed out.');
}));
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#link=')) {
    start();
  } else if (!nav.hidden) {
    route();
  }
});
start();
