import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  checkOptions,
  either,
  messageOf,
  nested,
  systemClock,
  type OptionChecks,
} from '../../foundation/index.js';
import type { FailedTest } from '../saved-state/format.js';
import type { StateSource } from '../saved-state/gather.js';
import { errorText, onFailure } from '../saved-state/running-test.js';
import type { TestCore } from './core.js';

/** How the states in which tests fail are saved. */
export interface SnapshotOptions {
  /**
   * Folder of the files. Default `node_modules/.cache/orch-apiserver` of the project, or a temporary folder where there is
   * no `node_modules`.
   */
  readonly folder?: string | undefined;
  /** Number of files that are kept in the folder, the newest ones. Default 20. */
  readonly keep?: number | undefined;
  /**
   * Maximum size of a file, in bytes. All objects must fit; of the past and of the requests, the newest are saved. Default
   * 16 MiB.
   */
  readonly maxBytes?: number | undefined;
  /** Prints a line of text. Default the console. */
  readonly print?: ((line: string) => void) | undefined;
}

const checks: OptionChecks<SnapshotOptions> = {
  folder: aName,
  keep: aCount('files', 1),
  maxBytes: aCount('bytes', 1),
  print: aFunction,
};

/** Checks the option `snapshots`. @throws TypeError */
export function checkSnapshots(value: unknown): void {
  checkOptions('startTestServer', { snapshots: value }, { snapshots: either(aBoolean, nested(checks)) });
}

/** A state that was saved to a file. */
export interface SavedSnapshot {
  readonly path: string;
  /** The command that opens it in a browser. */
  readonly command: string;
}

/** The saved state of a test server. */
export interface TestSnapshots {
  /**
   * Saves the state of the server to a file: its objects, their past, the requests, and the time. Prints the command that
   * shows it: `npx orch-apiserver open FILE`. Only the user may read the file: it has the Secrets of the test. Needs Node.
   *
   * A test whose context the server has (`testContext`) calls it by itself when it fails. Elsewhere, as with Jest, call it
   * in the `catch` of the test.
   *
   * @param about the name of the test, and what it threw
   * @throws Error when the server has closed, the objects do not fit, or the file cannot be written
   */
  saveSnapshot(about?: {
    readonly test?: string | undefined;
    readonly file?: string | undefined;
    readonly error?: unknown;
  }): Promise<SavedSnapshot>;
}

const DEFAULT_KEEP = 20;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Returns the members about saved states, and saves the state when the test of the server fails. */
export function snapshotPart(core: TestCore, pageLink: () => Promise<string>): TestSnapshots {
  const { snapshots = true } = core.options;
  const { print = printed, ...options } = typeof snapshots === 'boolean' ? {} : snapshots;
  let closed = false;
  /** The state when the server closed. It is the state in which the test failed: tests close their servers at their end. */
  let last: StateSource | undefined;
  const saved = async (source: StateSource, test: FailedTest): Promise<SavedSnapshot> => {
    const path = await save(source, test, options);
    const command = `npx orch-apiserver open ${quoted(path)}`;
    const page = core.options.ui === true && !closed ? ` (or, while the test runs: ${await pageLink()})` : '';
    print(`The state of the server is saved: ${command}${page}`);
    return { path, command };
  };
  const { testContext } = core;
  const watches = testContext !== undefined && snapshots !== false;
  core.onClose(async () => {
    // A fork shares what it has with the server, so that a test which passes loses no time.
    if (watches) last = await closingState(core);
    closed = true;
  });
  if (watches)
    onFailure(testContext, async (failed) => {
      try {
        await saved(last ?? (await openState(core, closed)), failed);
      } catch (error) {
        print(`The state of the server could not be saved: ${messageOf(error)}`);
      }
    });
  return {
    saveSnapshot: async ({ test = '', file = '', error } = {}) =>
      saved(await openState(core, closed), { name: test, file, error: errorText(error) }),
  };
}

/** Returns the state of a server that closes; undefined where keeping it would take time. */
async function closingState(core: TestCore): Promise<StateSource | undefined> {
  try {
    return core.instruments.state((await core.server.snapshot()).storage, core);
  } catch {
    // Its storage cannot be forked, or it did not start.
    return undefined;
  }
}

async function openState(core: TestCore, closed: boolean): Promise<StateSource> {
  if (closed) throw new Error('the test server is closed: save its state before');
  await core.server.ready();
  return core.instruments.state(undefined, core);
}

async function save(
  source: StateSource,
  test: FailedTest,
  { folder, keep = DEFAULT_KEEP, maxBytes = DEFAULT_MAX_BYTES }: SnapshotOptions,
): Promise<string> {
  const [{ gather }, { defaultFolder, pruneStates, writeState }] = await Promise.all([
    import('../saved-state/gather.js'),
    import('../saved-state/state-file.js'),
  ]);
  const place = folder ?? defaultFolder();
  const path = await writeState(place, await gather(source, test, maxBytes, systemClock.now()));
  await pruneStates(place, keep);
  return path;
}

/** Quotes a path for the shell, if needed. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

function printed(line: string): void {
  console.log(line);
}
