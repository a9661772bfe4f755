import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { isatty } from 'node:tty';
import {
  aClock,
  aCount,
  aFunction,
  anObject,
  aPositiveDuration,
  aText,
  checkOptions,
  durationMs,
  goQuote,
  groupName,
  nested,
  orch,
  systemGroup,
  type Clock,
  type Dialect,
  type Duration,
  type OptionCheck,
  type OptionChecks,
} from '../../../foundation/index.js';
import { CredentialError, type Credential, type CredentialSource } from '../../wire/credential.js';
import type { ExecConfig } from '../config.js';
import { KubeConfigError } from '../errors.js';
import type { Environment } from '../load.js';
import { execInfo, readExecCredential, type ExecCluster } from './exec-credential.js';
import { InstallHelp } from './exec-hint.js';
import { CommandMissing, runCommand } from './exec-run.js';

/** Options of credential plugins. */
export interface ExecOptions {
  /** Maximum run time; default `1m`. Kubernetes has no limit here. */
  readonly timeout?: Duration | undefined;
  /** Maximum size of the output, in bytes; default 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Receives the standard error of a plugin; default the standard error of this process. */
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined;
  /** Environment that a plugin inherits; default that of this process. */
  readonly env?: Environment | undefined;
  /** Returns whether standard input is a terminal; default asks the system. */
  readonly stdinIsTerminal?: (() => boolean) | undefined;
  /** Set when standard input is not available: what it is used for. */
  readonly stdinUnavailable?: string | undefined;
}

const optionChecks: OptionChecks<ExecOptions> = {
  timeout: aPositiveDuration,
  maxOutputBytes: aCount('bytes', 1),
  stderr: aFunction,
  env: anObject,
  stdinIsTerminal: aFunction,
  stdinUnavailable: aText,
};

/** Checks the options of credential plugins. */
export const execChecks: OptionCheck = nested(optionChecks);

/** Options of plugin credentials. */
export interface ExecPluginOptions extends ExecOptions {
  readonly clock: Clock;
  readonly dialect?: Dialect | undefined;
}

/** The kubelet of Kubernetes has the same limit for its credential plugins: one minute. */
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
const VERSIONS = ['v1', 'v1beta1'] as const;

/**
 * Creates a source of the credentials that a plugin prints. The plugin runs at the first use, after expiration, and
 * after the server refused the credentials. Concurrent callers share a run.
 *
 * @param cluster cluster information, passed to the plugin if `provideClusterInfo` is set
 * @throws TypeError that names an invalid option; KubeConfigError `exec plugin: invalid apiVersion "…"`, or for an entry
 *   without a command
 */
export function createExecCredentials(
  exec: ExecConfig,
  cluster: ExecCluster | undefined,
  options: ExecPluginOptions,
): CredentialSource {
  checkOptions('createExecCredentials', options, { ...optionChecks, clock: aClock, dialect: anObject }, ['clock']);
  const { command, apiVersion = '' } = exec;
  const group = groupName(systemGroup('client.authentication'), options.dialect ?? orch);
  if (!VERSIONS.some((version) => `${group}/${version}` === apiVersion))
    throw new KubeConfigError(`exec plugin: invalid apiVersion ${goQuote(apiVersion)}`);
  if (command === undefined) throw new KubeConfigError('exec plugin: command must be specified');
  return new ExecPlugin(
    { ...exec, command, apiVersion },
    exec.provideClusterInfo === true ? cluster : undefined,
    options,
  );
}

interface RunnableExec extends ExecConfig {
  readonly command: string;
  readonly apiVersion: string;
}

interface CachedCredential {
  readonly credential: Credential;
  readonly expiresAt: number | undefined;
}

class ExecPlugin implements CredentialSource {
  #cached: CachedCredential | undefined;
  #running: Promise<Credential> | undefined;
  readonly #help: InstallHelp;
  readonly #dialect: Dialect;
  readonly #exec: RunnableExec;
  readonly #cluster: ExecCluster | undefined;
  readonly #options: ExecPluginOptions;

  constructor(exec: RunnableExec, cluster: ExecCluster | undefined, options: ExecPluginOptions) {
    this.#exec = exec;
    this.#cluster = cluster;
    this.#options = options;
    this.#dialect = options.dialect ?? orch;
    this.#help = new InstallHelp(options.clock, exec.installHint, this.#dialect);
  }

  get(): Credential | Promise<Credential> {
    const cached = this.#cached;
    if (cached === undefined || (cached.expiresAt !== undefined && this.#options.clock.now() > cached.expiresAt))
      return this.#refresh();
    // During a refresh the cached credential has been refused: wait for the new one.
    return this.#running?.catch(() => cached.credential) ?? cached.credential;
  }

  async replace(refused: Credential): Promise<Credential> {
    const cached = this.#cached;
    return cached === undefined || cached.credential === refused ? this.#refresh() : cached.credential;
  }

  #refresh(): Promise<Credential> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)));
  }

  async #run(): Promise<Credential> {
    const { apiVersion } = this.#exec;
    const interactive = isInteractive(this.#exec, this.#options);
    const output = await this.#execute(interactive);
    this.#cached = await readExecCredential(output, apiVersion);
    return this.#cached.credential;
  }

  async #execute(interactive: boolean): Promise<Uint8Array> {
    const { command, args = [], apiVersion } = this.#exec;
    const {
      clock,
      stderr,
      env = process.env,
      timeout = DEFAULT_TIMEOUT_MS,
      maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES,
    } = this.#options;
    const path = await findCommand(command, env);
    if (path === undefined) throw new CredentialError(`exec: executable ${command} not found${this.#help.next()}`);
    try {
      return await runCommand({
        command,
        path,
        args,
        env: this.#environment(env, execInfo(apiVersion, interactive, this.#cluster)),
        interactive,
        stderr,
        clock,
        timeoutMs: durationMs(timeout),
        maxOutputBytes,
      });
    } catch (error) {
      if (error instanceof CommandMissing) throw new CredentialError(`${error.message}${this.#help.next()}`);
      throw error;
    }
  }

  /** Variables of the entry override inherited ones, and the plugin's input overrides both. */
  #environment(inherited: Environment, input: string): Environment {
    const own = Object.fromEntries((this.#exec.env ?? []).map(({ name, value }) => [name, value]));
    return { ...inherited, ...own, [this.#dialect.execInfoVariable]: input };
  }
}

/**
 * Returns whether a plugin gets standard input.
 *
 * @throws CredentialError when the plugin requires it and it is not available
 */
function isInteractive({ interactiveMode }: ExecConfig, options: ExecOptions): boolean {
  const { stdinIsTerminal = () => isatty(0), stdinUnavailable } = options;
  const refuse = (why: string): never => {
    throw new CredentialError(`exec plugin cannot support interactive mode: ${why}`);
  };
  if (interactiveMode === 'Never') return false;
  if (interactiveMode === 'IfAvailable') return stdinUnavailable === undefined && stdinIsTerminal();
  if (interactiveMode !== 'Always') return refuse(`unknown interactiveMode: ${goQuote(interactiveMode ?? '')}`);
  if (!stdinIsTerminal()) return refuse('standard input is not a terminal');
  if (stdinUnavailable !== undefined)
    return refuse(`standard input is unavailable${stdinUnavailable === '' ? '' : `: ${stdinUnavailable}`}`);
  return true;
}

/**
 * Finds a command. A path is used unchanged; a bare name is searched in the directories of `PATH`. Relative directories
 * are skipped, so that a command never comes from the working directory.
 *
 * @returns undefined when it is not found
 */
async function findCommand(command: string, env: Environment): Promise<string | undefined> {
  // Windows resolves commands itself.
  if (command.includes(sep) || process.platform === 'win32') return command;
  for (const directory of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(directory, command);
    if (isAbsolute(directory) && (await isExecutable(path))) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
