import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

/** The program of Chromium; undefined without one. */
export const chromiumProgram = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
);

/** A message of the browser: the reply to a command, or an event. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly frame?: { readonly url: string } };
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    /** A picture, in base64. */
    readonly data?: string;
    readonly metrics?: readonly { readonly name: string; readonly value: number }[];
    readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
  };
}

/** Resolves with the first message that is the one. */
function messageOf(socket: WebSocket, isTheOne: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('the page was closed'));
    const read = (data: Buffer): void => {
      const message = JSON.parse(String(data)) as Message;
      if (!isTheOne(message)) return;
      socket.off('message', read).off('close', closed);
      resolve(message);
    };
    socket.on('message', read).once('close', closed);
  });
}

/** Resolves when a page has loaded at an origin again: a frame goes there, and then loads. */
async function loadedAt(socket: WebSocket, origin: string): Promise<void> {
  await messageOf(
    socket,
    ({ method, params }) =>
      method === 'Page.frameNavigated' && new URL(params?.frame?.url ?? 'about:blank').origin === origin,
  );
  await messageOf(socket, ({ method }) => method === 'Page.loadEventFired');
}

/** The codes of the keys that tests press. */
const KEY_CODES: ReadonlyMap<string, number> = new Map([
  ['Enter', 13],
  ['Escape', 27],
  [' ', 32],
  ['End', 35],
  ['ArrowUp', 38],
  ['ArrowDown', 40],
]);

/** Returns what presses a key of a page. */
function keysOf(send: (method: string, params: object) => Promise<unknown>) {
  return async (key: string, modifiers = 0): Promise<void> => {
    const windowsVirtualKeyCode = KEY_CODES.get(key);
    if (windowsVirtualKeyCode === undefined) throw new Error(`the code of the key ${key} is not known`);
    const text = key === 'Enter' ? { text: '\r' } : {};
    const event = { key, code: key === ' ' ? 'Space' : key, modifiers, windowsVirtualKeyCode };
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...text });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  };
}

/** Returns what collects the garbage of a page. */
function memoryOf(send: (method: string, params: object) => Promise<Message['result']>) {
  return async (): Promise<PageMemory> => {
    await send('Performance.enable', {});
    // The second collection frees the objects that the first one finalizes.
    for (let time = 0; time < 2; time += 1) await send('HeapProfiler.collectGarbage', {});
    const metrics = (await send('Performance.getMetrics', {}))?.metrics ?? [];
    const valueOf = (sought: string): number => metrics.find(({ name }) => name === sought)?.value ?? 0;
    return {
      ...{ heapBytes: valueOf('JSHeapUsedSize'), nodes: valueOf('Nodes'), listeners: valueOf('JSEventListeners') },
      scriptMs: valueOf('ScriptDuration') * 1000,
      layoutMs: (valueOf('LayoutDuration') + valueOf('RecalcStyleDuration')) * 1000,
    };
  };
}

/** Returns a function that sends a command to a page, and resolves with its result. */
function commandsOf(socket: WebSocket): (method: string, params: object) => Promise<Message['result']> {
  let commands = 0;
  return async (method, params) => {
    const id = (commands += 1);
    const reply = messageOf(socket, (message) => message.id === id);
    socket.send(JSON.stringify({ id, method, params }));
    const { error, result } = await reply;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

/** The memory that a page holds once its garbage has been collected. */
export interface PageMemory {
  readonly heapBytes: number;
  /** Nodes of documents, also of those that are not shown. */
  readonly nodes: number;
  readonly listeners: number;
  /** Time since the page was opened that its scripts took. */
  readonly scriptMs: number;
  /** Time that styles and layout took. */
  readonly layoutMs: number;
}

/** A page: runs a program in it, and returns its value. */
export interface Page {
  (program: string): Promise<unknown>;
  /** Loads the page again, and waits until it has loaded: a program before that would run in the old one, or be lost. */
  reload(): Promise<void>;
  /** Does something while the screen has another size, in pixels. */
  readonly resized: <Result>(width: number, height: number, action: () => Promise<Result>) => Promise<Result>;
  /** Returns what the page looks like, as a file of the type WebP in base64. */
  readonly picture: () => Promise<string>;
  /** Collects the garbage of the page, and returns what is left. */
  readonly memory: () => Promise<PageMemory>;
  /** Enters a text where the focus is, as a keyboard does. */
  readonly typed: (text: string) => Promise<void>;
  /** Presses a key where the focus is, such as `Enter`. @param modifiers 2 for Ctrl, as the protocol counts them */
  readonly pressed: (key: string, modifiers?: number) => Promise<void>;
  /** Runs a program that leaves the page, and waits until it has come back to the origin where it was. */
  follow(program: string): Promise<void>;
}

/** A browser without a window. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #port: string;
  readonly #sockets: WebSocket[] = [];

  private constructor(process: ChildProcess, folder: string, port: string) {
    this.#process = process;
    this.#folder = folder;
    this.#port = port;
  }

  /** @param more further flags */
  static async start(program: string, more: readonly string[] = []): Promise<Chromium> {
    const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-dev-shm-usage'];
    // Chromium looks for updates and settings of its own otherwise.
    flags.push('--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync');
    const started = spawn(
      program,
      [...flags, ...more, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'],
      // A group of its own, so that its helpers end with it: they write to its folder.
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    const port = await new Promise<string>((resolve, reject) => {
      let text = '';
      started.stderr?.on('data', (chunk: Buffer) => {
        text += String(chunk);
        const found = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      started.once('error', reject);
      started.once('exit', (code) => reject(new Error(`chromium ended with ${code}: ${text}`)));
    });
    return new Chromium(started, folder, port);
  }

  /** Opens a page, and waits until it has loaded. */
  async open(url: string): Promise<Page> {
    const opened = await fetch(`http://127.0.0.1:${this.#port}/json/new?about:blank`, { method: 'PUT' });
    const { webSocketDebuggerUrl } = (await opened.json()) as { webSocketDebuggerUrl: string };
    const socket = new WebSocket(webSocketDebuggerUrl);
    this.#sockets.push(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const send = commandsOf(socket);
    await send('Page.enable', {});
    // All pages are seen, as on several screens: a tab behind another one would draw nothing.
    await send('Emulation.setFocusEmulationEnabled', { enabled: true });
    const load = async (method: string, params: object): Promise<void> => {
      const loaded = messageOf(socket, (message) => message.method === 'Page.loadEventFired');
      await send(method, params);
      await loaded;
    };
    await load('Page.navigate', { url });
    const run = async (program: string): Promise<unknown> => {
      const expression = `(async () => { ${program} })()`;
      const result = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      const details = result?.exceptionDetails;
      if (details !== undefined) throw new Error(details.exception?.description ?? details.text);
      return result?.result?.value;
    };
    const follow = async (program: string): Promise<void> => {
      const { origin } = new URL(url);
      const back = loadedAt(socket, origin);
      // The program ends with its page.
      run(program).catch(() => undefined);
      await back;
    };
    return Object.assign(run, {
      reload: () => load('Page.reload', {}),
      follow,
      memory: memoryOf(send),
      typed: async (text: string) => void (await send('Input.insertText', { text })),
      pressed: keysOf(send),
      resized: async <Result>(width: number, height: number, action: () => Promise<Result>): Promise<Result> => {
        await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
        try {
          return await action();
        } finally {
          await send('Emulation.clearDeviceMetricsOverride', {});
        }
      },
      picture: async () => (await send('Page.captureScreenshot', { format: 'webp', quality: 60 }))?.data ?? '',
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    if (this.#process.pid !== undefined) process.kill(-this.#process.pid, 'SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
