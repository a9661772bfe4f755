import type { Workspaces } from '../../../src/apiserver/workspaces/index.js';
import { toFetchHandler } from '../../../src/entries/fetch.js';

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** Sends a request to workspaces, without a socket. */
export async function ask(
  workspaces: Workspaces,
  method: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: unknown } = {},
): Promise<Answer> {
  const request = new Request(`http://workspaces.test${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await toFetchHandler(workspaces)(request);
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Returns the owner's token of a workspace, as its kubeconfig has it. */
export async function ownerToken(workspaces: Workspaces, name: string): Promise<string> {
  const token = /token: "?([0-9a-f]+)"?/.exec(await workspaces.kubeConfigOf(name))?.[1];
  if (token === undefined) throw new Error('the kubeconfig has no token');
  return token;
}

/** Returns a ConfigMap. */
export const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
