import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspaces, type Workspaces } from '../../../src/apiserver/workspaces/index.js';
import { toFetchHandler } from '../../../src/entries/fetch.js';
import { configMap, ownerToken } from './ask.js';

const MIB = 1024 * 1024;

let open: Workspaces | undefined;
afterEach(() => open?.close());

/** Requests of a workspace whose bodies arrive as slowly as the test wants. */
class Uploads {
  readonly #controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  readonly #answers: Promise<Response>[] = [];

  constructor(
    readonly workspaces: Workspaces,
    readonly name: string,
    readonly token: string,
  ) {}

  /** Sends a request, and all of its body but the last brace. */
  begin(index: number): void {
    const object = configMap(`big-${index}`, { text: 'x'.repeat(900 * 1024) });
    const text = JSON.stringify(object).slice(0, -1);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(text));
        this.#controllers.push(controller);
      },
    });
    const path = `/clusters/${this.name}/api/v1/namespaces/default/configmaps`;
    const init = { method: 'POST', body, duplex: 'half', headers: this.#headers() };
    this.#answers.push(toFetchHandler(this.workspaces)(new Request(`http://workspaces.test${path}`, init)));
  }

  /** Ends all bodies, and returns how often each status was answered. */
  async end(): Promise<Record<number, number>> {
    for (const controller of this.#controllers)
      try {
        controller.enqueue(new TextEncoder().encode('}'));
        controller.close();
      } catch {
        // It was refused, and its body cancelled.
      }
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(this.#answers)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }
}

/** Lets one workspace begin many uploads, and then another one a single upload. @returns how often each status was answered */
async function uploadsOf(memoryBytes: number, count: number): Promise<Record<string, Record<number, number>>> {
  const server = { dialect: 'kubernetes', limits: { bodyBytes: MIB, memoryBytes: 400 * MIB } } as const;
  const workspaces = (open = createWorkspaces({ server, memoryBytes }));
  const of = async (name: string): Promise<Uploads> => {
    await workspaces.create(name);
    return new Uploads(workspaces, name, await ownerToken(workspaces, name));
  };
  const [alpha, beta] = [await of('alpha'), await of('beta')];
  for (let index = 0; index < count; index += 1) alpha.begin(index);
  await new Promise((resolve) => setImmediate(resolve));
  beta.begin(0);
  const answers = { alpha: await alpha.end(), beta: await beta.end() };
  await workspaces.close();
  return answers;
}

describe('the memory of all workspaces', () => {
  it('is not all given to the requests of one', async () => {
    const alone = await uploadsOf(400 * MIB, 20);
    expect(alone).toEqual({ alpha: { 201: 20 }, beta: { 201: 1 } });
    const { alpha, beta } = await uploadsOf(24 * MIB, 20);
    expect(alpha?.[429]).toBeGreaterThan(0);
    expect(beta).toEqual({ 201: 1 });
  });

  it('has room for the largest body at least', () => {
    expect(() => createWorkspaces({ memoryBytes: MIB })).toThrow(
      'createWorkspaces: the option memoryBytes is 1048576, but a request with a body of server.limits.bodyBytes (3145728) needs 18874368: raise the former or lower the latter',
    );
  });
});
