// Signing in, and which view is shown.

import {ask, get, listen, may, post, session, silence} from './api.js';
import {attempt, el, field, show, tell, text} from './dom.js';
import {filesView} from './files.js';
import {tasksView} from './tasks.js';
import {taskView} from './task.js';
import {endpointsView} from './endpoints.js';
import {timersView} from './timers.js';
import {tokensView} from './tokens.js';
import {adminView} from './admin.js';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
let leave = () => {};
let shown = null;

async function signIn(link) {
  await post('session', {link});
  history.replaceState(null, '', '/#/files');
}

function signInView(message) {
  leave();
  leave = () => {};
  shown = null;
  nav.hidden = true;
  const input = text('link', {required: true});
  show(main,
      el('h1', {tabindex: '-1'}, 'Sign in'),
      el('p', {role: 'alert'}, message),
      el('p', {}, 'The terminal in which the service was started shows a link. Another one: ',
          el('code', {}, 'fdt service link')),
      el('form', {class: 'row', submit: attempt(async () => {
        await signIn(input.value.replace(/.*#link=/, '').trim());
        await start();
      })},
      field('Link', input, {wide: true}), el('button', {class: 'main'}, 'Sign in')));
  document.title = 'Sign in - FDT';
  main.querySelector('h1').focus();
}

const VIEWS = {
  files: filesView,
  tasks: (view, id) => id ? taskView(view, id) : tasksView(view),
  endpoints: endpointsView,
  timers: timersView,
  tokens: tokensView,
  admin: adminView,
};

function route() {
  if (location.hash === '#main') {
    main.focus();
    history.replaceState(null, '', shown || '#/files'); // the link that skips the navigation
    return;
  }
  leave();
  const words = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  const name = words[0] in VIEWS ? words[0] : 'files';
  for (const link of nav.querySelectorAll('a')) {
    if (link.getAttribute('href') === '#/' + name) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  shown = location.hash;
  document.querySelectorAll('dialog').forEach(dialog => dialog.close());
  const [title, end] = VIEWS[name](main, words[1]);
  main.dataset.view = location.hash;
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
    Object.assign(session, await get('session'));
  } catch (error) {
    history.replaceState(null, '', '/');
    signInView(error.message);
    return;
  }
  nav.hidden = false;
  document.getElementById('who').textContent = session.user;
  for (const item of nav.querySelectorAll('[data-scope]')) {
    item.hidden = !may(item.dataset.scope);
  }
  listen(async () => {
    try {
      await get('session');
    } catch (error) {
      if (error.status === 401) {
        silence();
        signInView(error.message);
        return false;
      }
    }
    return true;
  });
  route();
}

document.getElementById('sign-out').addEventListener('click', attempt(async () => {
  await ask('DELETE', 'session');
  silence();
  tell('Signed out.');
  history.replaceState(null, '', '/');
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
