import type { ApiServerOptions } from '../../apiserver/index.js';
import { shown, withMethods, type Entropy, type UserInfo } from '../../foundation/index.js';
import type { DefinitionSource } from '../../kinds/index.js';
import type { SimulationOptions } from '../../simulation/index.js';
import type { Storage } from '../../storage/index.js';
import type { ManualClock } from '../time/manual-clock.js';
import { isRunningTest, type RunningTest } from '../saved-state/running-test.js';
import { checkRecordedLimits, type RecordedLimits } from './instruments.js';
import { checkSnapshots, type SnapshotOptions } from './snapshots.js';

/** A user of a test. The name is the key in the option `users`. */
export interface TestUser {
  /** Groups besides `system:authenticated`, which every user has. */
  readonly groups?: readonly string[] | undefined;
  readonly uid?: UserInfo['uid'] | undefined;
  readonly extra?: UserInfo['extra'] | undefined;
}

/**
 * Options of `startTestServer`: the options of a server, except those that the test controls. All controllers of
 * workloads and other objects run unless `controllers.disable` names them.
 */
export interface TestServerOptions extends Omit<
  ApiServerOptions,
  'clock' | 'entropy' | 'storage' | 'simulation' | 'interceptor'
> {
  /**
   * Storage engine; default in memory. A function gets the test's clock and randomness and creates the engine with
   * them, so that the watch history and expiring objects follow the test's time. Only storage in memory can be forked.
   */
  readonly storage?:
    | Storage
    | ((test: { readonly clock: ManualClock; readonly entropy: Entropy }) => Storage | Promise<Storage>)
    | undefined;
  /** Start time of the server, in milliseconds since the epoch; default the beginning of 2024. */
  readonly start?: number | undefined;
  /**
   * Clock of the server, which other servers and the code under test can share: from `createManualClock` or
   * `fakeTimersClock`. Default a clock of its own. `reset` does not set back the time of a given clock.
   */
  readonly clock?: ManualClock | undefined;
  /** Seed of uids, generated names and tokens; default 0. */
  readonly seed?: number | string | undefined;
  /**
   * Simulated nodes that run the pods on the test's clock: true for three nodes, or options. Default none: pods stay
   * Pending. `pods` and `nodes` of the test server let them fail.
   */
  readonly simulate?: boolean | SimulationOptions | undefined;
  /**
   * Custom resource definitions to create, whose kinds are served when the test begins: objects, strings of YAML or JSON,
   * or paths of files and directories. Definitions of every included dialect are accepted.
   */
  readonly crds?: readonly DefinitionSource[] | undefined;
  /**
   * Objects to create after the definitions, in this order: objects, strings of YAML or JSON, or paths of files and
   * directories. Namespaced objects without a namespace go to `default`.
   */
  readonly manifests?: readonly DefinitionSource[] | undefined;
  /**
   * Users of the test by name: `{ alice: { groups: ['developers'] } }`. `as` returns a client of a user, `token` a bearer
   * token. What a user may do is up to the authorization of the server: by default, roles and bindings.
   */
  readonly users?: Readonly<Record<string, TestUser>> | undefined;
  /**
   * Whether the server and its forks have a page for people, which `pageLink` opens; it shows what has happened since the
   * start. Default false. Needs Node.
   */
  readonly ui?: boolean | undefined;
  /**
   * Context of the test that uses the server: that of vitest, or of `node:test`. If the test fails, the state of the server
   * is saved, and the command that shows it is printed. The fixtures for vitest, and `useTestServer` with the hooks of vitest
   * and `node:test`, know the test by themselves.
   */
  readonly testContext?: RunningTest | undefined;
  /**
   * Whether the state in which a test fails is saved, and how; default true. Nothing is written for tests that pass.
   */
  readonly snapshots?: boolean | SnapshotOptions | undefined;
  /** Limits of what the server remembers for the test: requests and versions. */
  readonly recorded?: RecordedLimits | undefined;
}

const aClock = withMethods(
  'a clock, from createManualClock() or fakeTimersClock()',
  'now',
  'after',
  'advance',
  'settle',
);

/** Refuses options that the test controls; the server checks the rest. @throws TypeError that names the option */
export function checkTestOptions(options: TestServerOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`startTestServer: the options must be an object, got ${shown(options)}`);
  if ('simulation' in options)
    throw new TypeError('startTestServer: the option simulation is not allowed: set simulate, which creates one');
  if ('interceptor' in options)
    throw new TypeError(
      'startTestServer: the option interceptor is not allowed: a test server has its own; use test.faults and test.requests, or create an ApiServer',
    );
  if ('entropy' in options)
    throw new TypeError(
      'startTestServer: the option entropy is not allowed: a test server has its own; set seed, or create an ApiServer',
    );
  if ('startMs' in options) throw new TypeError('startTestServer: the option startMs is start now, in milliseconds');
  const { start, seed, crds, manifests, simulate, clock, users, ui } = options;
  if (ui !== undefined && typeof ui !== 'boolean')
    throw new TypeError(`startTestServer: the option ui must be true or false, got ${shown(ui)}`);
  if (simulate !== undefined && typeof simulate !== 'boolean' && (typeof simulate !== 'object' || simulate === null))
    throw new TypeError(
      `startTestServer: the option simulate must be true, or options such as { nodes: 3 }, got ${shown(simulate)}`,
    );
  if (crds !== undefined && !Array.isArray(crds))
    throw new TypeError(`startTestServer: the option crds must be a list of definitions, got ${shown(crds)}`);
  if (manifests !== undefined && !Array.isArray(manifests))
    throw new TypeError(
      `startTestServer: the option manifests must be a list of objects, texts or paths, got ${shown(manifests)}`,
    );
  if (start !== undefined && !Number.isFinite(start))
    throw new TypeError(
      `startTestServer: the option start must be a number of milliseconds since the epoch, got ${shown(start)}`,
    );
  if (seed !== undefined && typeof seed !== 'string' && typeof seed !== 'number')
    throw new TypeError(`startTestServer: the option seed must be a number or a string, got ${shown(seed)}`);
  checkClock(clock, start);
  checkUsers(users);
  checkRecordedLimits('startTestServer: recorded', options.recorded);
  checkSnapshots(options.snapshots);
  checkTestContext('startTestServer', options.testContext);
}

/** Checks the option `testContext`. @throws TypeError */
export function checkTestContext(subject: string, value: unknown): void {
  if (value !== undefined && !isRunningTest(value))
    throw new TypeError(
      `${subject}: the option testContext must be the context of a test, which vitest and node:test pass to its function, got ${shown(value)}`,
    );
}

function checkClock(clock: unknown, start: number | undefined): void {
  if (clock === undefined) return;
  const problem = aClock(clock, 'clock');
  if (problem !== undefined) throw new TypeError(`startTestServer: ${problem}`);
  if (start !== undefined)
    throw new TypeError(
      'startTestServer: the options clock and start cannot be combined: set the start time with createManualClock(start)',
    );
}

function checkUsers(users: unknown): void {
  if (users === undefined) return;
  if (typeof users !== 'object' || users === null || Array.isArray(users))
    throw new TypeError(
      `startTestServer: the option users must be an object such as { alice: { groups: ['developers'] } }, got ${shown(users)}`,
    );
  for (const [name, user] of Object.entries(users))
    if (typeof user !== 'object' || user === null || Array.isArray(user))
      throw new TypeError(
        `startTestServer: the option users.${name} must be an object such as { groups: ['developers'] }, got ${shown(user)}`,
      );
}
