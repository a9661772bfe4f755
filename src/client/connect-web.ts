import type { Client } from './client.js';
import type { ConnectTarget } from './connect.js';
import { connectByFetch } from './wire/connect-fetch.js';
import type { ConnectOptions } from './wire/connect-options.js';

/** Connects to a server where there is only `fetch`: the function `connect` of browsers and workers. */
export async function connect(target: ConnectTarget, options: ConnectOptions = {}): Promise<Client> {
  if (typeof target === 'object' && target !== null && 'url' in target) {
    const { url, token, fetch, webSocket } = {
      fetch: (to: string, init: RequestInit) => globalThis.fetch(to, init),
      webSocket: undefined,
      ...target,
    };
    return connectByFetch({ url, token, fetch, webSocket }, options);
  }
  throw new TypeError('connect: there are no files here: pass { url, token, fetch }');
}
