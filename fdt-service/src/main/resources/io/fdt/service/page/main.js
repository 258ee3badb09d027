// Signing in, and which view is shown.

import {ask, get, listen, may, post, session, silence} from './api.js';
import {adminView} from './admin.js';
import {endpointsView} from './endpoints.js';
import {filesView} from './files.js';
import {html, nothing, render} from './lit.js';
import {noticesView} from './notices.js';
import {field, forgetErrors, icon, problem, state, submit, tool} from './parts.js';
import {taskView} from './task.js';
import {tasksView} from './tasks.js';
import {timersView} from './timers.js';
import {tokensView} from './tokens.js';

/**
 * A view is made from a function that draws it, and from the address. It has a title, content, and perhaps a state, actions
 * beside the title, a way back, and an end. A view that is full uses the height of the window.
 */
const VIEWS = {
  files: ['Files', 'folder', filesView],
  tasks: ['Activity', 'activity', (draw, id) => id ? taskView(draw, id) : tasksView(draw)],
  timers: ['Timers', 'timer', timersView],
  endpoints: ['Endpoints', 'server', endpointsView],
  notices: ['Notices', 'bell', noticesView],
  tokens: ['Tokens', 'key-round', tokensView, 'tokens'],
  admin: ['Admin', 'shield-check', adminView, 'admin'],
};

const main = document.getElementById('main');
let shown = null;
let address = null;
let turn = 0; // of those who have signed in here
let isMenuOpen = false;
let current = null;

function showView(make, argument) {
  shown?.end?.();
  document.querySelectorAll('dialog').forEach(dialog => dialog.close());
  render(nothing, main);
  const view = make(() => {
    if (view === shown) {
      draw();
    }
  }, argument);
  shown = view;
  main.classList.toggle('full', Boolean(view.isFull));
  draw();
  scrollTo(0, 0);
  main.querySelector('h1').focus();
}

function draw() {
  const title = shown.title();
  document.title = [shown.state?.(), title, 'FDT'].filter(Boolean).join(' - ');
  render(html`${shown.back ? html`<a class="back" href=${shown.back[0]}>${icon('arrow-left')}${shown.back[1]}</a>` : nothing}
    <div class="top"><h1 tabindex="-1">${title}</h1>${shown.actions?.() ?? nothing}</div>${shown.content()}`, main);
}

function link(name) {
  const [label, sign] = VIEWS[name];
  return html`<a href="#/${name}" title=${label} aria-current=${name === current ? 'page' : nothing}>${icon(sign)}<span
    class="text">${label}</span></a>`;
}

function drawNavigation(name) {
  current = name;
  document.body.classList.toggle('inside', Boolean(name));
  render(name ? html`
    <div class="side ${isMenuOpen ? 'open' : ''}">
      <div class="brand"><img src="icon.svg" alt="" width="26" height="26"><span class="text">FDT</span></div>
      <button type="button" class="plain tool burger" aria-label="Menu" aria-expanded=${isMenuOpen} @click=${() => {
        isMenuOpen = !isMenuOpen;
        drawNavigation(current);
      }}>${icon(isMenuOpen ? 'x' : 'menu')}</button>
      <nav class="pages" aria-label="Pages">
        ${Object.entries(VIEWS).filter(([, [, , , scope]]) => !scope || may(scope)).map(([one]) => link(one))}</nav>
      <div class="me">${icon('user')}<span class="who" title=${session.user}>${session.user}</span>
        ${tool('log-out', 'Sign out', signOut)}</div>
    </div>` : nothing, document.getElementById('head'));
}

async function signIn(link) {
  await post('session', {link});
  history.replaceState(null, '', '/#/files');
}

async function signOut() {
  silence(); // the service ends the stream of who signs out, and that is no loss
  turn++;
  try {
    await ask('DELETE', 'session');
  } catch (error) {
    follow();
    throw error;
  }
  history.replaceState(null, '', '/');
  showSignIn('You are signed out.', true);
}

function showSignIn(message, isGood = false) {
  address = null;
  drawNavigation(null);
  showView(draw => {
    let provider = null;
    // Where there is an identity provider, it is how most users sign in.
    get('oidc').then(answer => {
      provider = answer;
      draw();
    }, () => {});
    return {
      title: () => 'Sign in to FDT',
      content: () => html`<div class="card sign">
        <p class=${isGood ? 'good' : 'soft'} role="alert">${message}</p>
        ${provider ? html`<a class="button main" href=${provider.login}>Sign in with ${new URL(provider.issuer).host}</a>
          <p class="note">Or by a link:</p>` : nothing}
        <form class="stack" @submit=${submit(async ({link}) => {
          await signIn(link.replace(/.*#link=/, ''));
          await start();
        })}>${field('Link', {name: 'link', required: true, wide: true, placeholder: 'http://127.0.0.1:54380/#link=...',
          hint: html`The terminal in which the service was started shows a link. For another one: <code>fdt service link</code>`})}
          ${problem}<button class="main">Sign in</button></form></div>`,
    };
  });
}

const noView = () => ({
  title: () => 'No such page',
  content: () => html`<div class="card">${state('search', 'FDT has nothing at this address.',
    'It may have been typed wrong, or be from another version.', html`<a class="button main" href="#/files">Go to Files</a>`)}</div>`,
});

function route() {
  if (location.hash === '#main') {
    main.focus();
    history.replaceState(null, '', address || '#/files'); // the link that skips the navigation
    return;
  }
  let words = ['?'];
  try {
    words = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  } catch (error) {
    // An address with a stray percent sign leads nowhere.
  }
  const name = words[0] === '' ? 'files' : words[0];
  address = location.hash;
  isMenuOpen = false;
  forgetErrors();
  const isKnown = Object.hasOwn(VIEWS, name);
  drawNavigation(isKnown ? name : 'none');
  showView(isKnown ? VIEWS[name][2] : noView, words[1]);
  main.dataset.view = location.hash;
}

async function start() {
  const link = location.hash.match(/^#link=(.+)$/);
  try {
    if (link) {
      await signIn(link[1]);
    }
    Object.assign(session, await get('session'));
  } catch (error) {
    const asked = location.hash;
    history.replaceState(null, '', '/');
    showSignIn(error.status === 401 && !asked ? 'Copies between servers, which continue without you.' : error.message);
    return;
  }
  follow();
  route();
}

/** Receives news of tasks while the browser is signed in. */
function follow() {
  const own = ++turn;
  listen(async () => {
    try {
      await get('session');
    } catch (error) {
      if (error.status === 401 && own === turn) {
        silence();
        showSignIn(error.message);
        return false;
      }
    }
    return own === turn;
  });
}

window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#link=')) {
    start();
  } else if (address !== null) {
    route();
  }
});
start();
