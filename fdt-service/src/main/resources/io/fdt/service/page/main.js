// Signing in, and which view is shown.

import {ask, get, listen, may, post, session, silence} from './api.js';
import {adminView} from './admin.js';
import {endpointsView} from './endpoints.js';
import {filesView} from './files.js';
import {html, nothing, render} from './lit.js';
import {noticesView} from './notices.js';
import {button, field, submit, tell} from './parts.js';
import {taskView} from './task.js';
import {tasksView} from './tasks.js';
import {timersView} from './timers.js';
import {tokensView} from './tokens.js';

/**
 * A view is made from a function that draws it, and from what the address says. It has a title, what it shows, and
 * perhaps the state of what it shows, and what ends it.
 */
const VIEWS = {
  files: ['Files', filesView],
  tasks: ['Activity', (draw, id) => id ? taskView(draw, id) : tasksView(draw)],
  endpoints: ['Endpoints', endpointsView],
  timers: ['Timers', timersView],
  notices: ['Notices', noticesView],
  tokens: ['Tokens', tokensView, 'tokens'],
  admin: ['Admin', adminView, 'admin'],
};

const main = document.getElementById('main');
let shown = null;
let address = null;
let turn = 0; // of those who have signed in here

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
  draw();
  main.querySelector('h1').focus();
}

function draw() {
  const title = shown.title();
  document.title = [shown.state?.(), title, 'FDT'].filter(Boolean).join(' - ');
  render(html`<h1 tabindex="-1">${title}</h1>${shown.content()}`, main);
}

function drawNavigation(current) {
  render(html`<span class="brand">FDT</span>${current ? html`
    <nav aria-label="Pages">
      ${Object.entries(VIEWS).filter(([, [, , scope]]) => !scope || may(scope)).map(([name, [label]]) =>
        html`<a href="#/${name}" aria-current=${name === current ? 'page' : nothing}>${label}</a>`)}
      <span class="who">${session.user}</span>
      ${button('Sign out', signOut)}
    </nav>` : nothing}`, document.getElementById('head'));
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
    hear();
    throw error;
  }
  tell('Signed out.');
  history.replaceState(null, '', '/');
  showSignIn('You are signed out.');
}

function showSignIn(message) {
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
      title: () => 'Sign in',
      content: () => html`
        <p role="alert">${message}</p>
        ${provider ? html`<p><a class="button" href=${provider.login}>Sign in with ${new URL(provider.issuer).host}</a></p>`
          : nothing}
        <p>The terminal in which the service was started shows a link. Another one: <code>fdt service link</code></p>
        <form class="row" @submit=${submit(async ({link}) => {
          await signIn(link.replace(/.*#link=/, ''));
          await start();
        })}>${field('Link', {name: 'link', required: true, wide: true})}<button class="main">Sign in</button></form>`,
    };
  });
}

function route() {
  if (location.hash === '#main') {
    main.focus();
    history.replaceState(null, '', address || '#/files'); // the link that skips the navigation
    return;
  }
  const words = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  const name = Object.hasOwn(VIEWS, words[0]) ? words[0] : 'files';
  address = location.hash;
  drawNavigation(name);
  showView(VIEWS[name][1], words[1]);
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
    history.replaceState(null, '', '/');
    showSignIn(error.message);
    return;
  }
  hear();
  route();
}

/** Hears of tasks for as long as the browser is signed in. */
function hear() {
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
