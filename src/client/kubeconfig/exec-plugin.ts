import { delimiter, isAbsolute, join, sep } from 'node:path';
import { access, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import { isatty } from 'node:tty';
import { orch, groupName, systemGroup, type Dialect } from '../../names/index.js';
import type { Clock } from '../../meta/index.js';
import { goQuote } from '../../meta/index.js';
import type { ExecConfig } from './config.js';
import type { Credential, CredentialSource } from './credentials.js';
import { CredentialError, KubeConfigError } from './errors.js';
import { execInfo, readExecCredential, type ExecCluster } from './exec-credential.js';
import { InstallHelp } from './exec-hint.js';
import { CommandMissing, runCommand } from './exec-run.js';
import type { Environment } from './load.js';

/** How credential plugins are run. */
export interface ExecOptions {
  /** Longest run, in milliseconds; default one minute. The production system sets no limit here. */
  readonly timeoutMs?: number;
  /** Longest output, in bytes; default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Where the standard error of a plugin goes; default that of this process. */
  readonly stderr?: (chunk: Uint8Array) => void;
  /** Environment that a plugin inherits; default that of the process. */
  readonly env?: Environment;
  /** Whether standard input is a terminal; default asks the system. */
  readonly stdinIsTerminal?: () => boolean;
  /** Given when standard input is used for something else: says for what. */
  readonly stdinUnavailable?: string;
}

/** What a source of plugin credentials is made of. */
export interface ExecPluginOptions extends ExecOptions {
  readonly clock: Clock;
  readonly dialect?: Dialect;
}

/** One minute is what the production system's node agent gives its own credential plugins. */
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
const VERSIONS = ['v1', 'v1beta1'] as const;

/**
 * Credentials that a plugin prints. It runs when they are first wanted, when they have expired, and when the server has
 * refused them; whoever wants them meanwhile waits for the same run.
 *
 * @param cluster told to the plugin when the entry says so
 * @throws KubeConfigError `exec plugin: invalid apiVersion "…"`, or for an entry without a command
 */
export function createExecCredentials(
  exec: ExecConfig,
  cluster: ExecCluster | undefined,
  options: ExecPluginOptions,
): CredentialSource {
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

interface Known {
  readonly credential: Credential;
  readonly expiresAt: number | undefined;
}

class ExecPlugin implements CredentialSource {
  #known: Known | undefined;
  #running: Promise<Credential> | undefined;
  readonly #help: InstallHelp;
  readonly #dialect: Dialect;

  constructor(
    private readonly exec: RunnableExec,
    private readonly cluster: ExecCluster | undefined,
    private readonly options: ExecPluginOptions,
  ) {
    this.#dialect = options.dialect ?? orch;
    this.#help = new InstallHelp(options.clock, exec.installHint, this.#dialect);
  }

  get(): Credential | Promise<Credential> {
    const known = this.#known;
    if (known === undefined || (known.expiresAt !== undefined && this.options.clock.now() > known.expiresAt))
      return this.#refresh();
    // What is being replaced was refused: better to wait than to be refused as well.
    return this.#running?.catch(() => known.credential) ?? known.credential;
  }

  async replace(refused: Credential): Promise<Credential> {
    const known = this.#known;
    return known === undefined || known.credential === refused ? this.#refresh() : known.credential;
  }

  #refresh(): Promise<Credential> {
    return (this.#running ??= this.#run().finally(() => (this.#running = undefined)));
  }

  async #run(): Promise<Credential> {
    const { apiVersion } = this.exec;
    const interactive = isInteractive(this.exec, this.options);
    const output = await this.#execute(interactive);
    this.#known = await readExecCredential(output, apiVersion);
    return this.#known.credential;
  }

  async #execute(interactive: boolean): Promise<Uint8Array> {
    const { command, args = [], apiVersion } = this.exec;
    const {
      clock,
      stderr,
      env = process.env,
      timeoutMs = DEFAULT_TIMEOUT_MS,
      maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES,
    } = this.options;
    const path = await findCommand(command, env);
    if (path === undefined) throw new CredentialError(`exec: executable ${command} not found${this.#help.take()}`);
    try {
      return await runCommand({
        command,
        path,
        args,
        env: this.#environment(env, execInfo(apiVersion, interactive, this.cluster)),
        interactive,
        stderr,
        clock,
        timeoutMs,
        maxOutputBytes,
      });
    } catch (error) {
      if (error instanceof CommandMissing) throw new CredentialError(`${error.message}${this.#help.take()}`);
      throw error;
    }
  }

  /** Variables of the entry go before those that are inherited, and the input before all. */
  #environment(inherited: Environment, input: string): Environment {
    const own = Object.fromEntries((this.exec.env ?? []).map(({ name, value }) => [name, value]));
    return { ...inherited, ...own, [this.#dialect.execInfoVariable]: input };
  }
}

/**
 * Whether a plugin is given standard input.
 *
 * @throws CredentialError when it must have it and there is none
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
 * Where a command is. A path is taken as it is; a bare name is looked for in the folders of `PATH`, of which relative ones
 * are passed over: a command must not come from wherever the process happens to stand.
 *
 * @returns undefined when it is in no folder
 */
async function findCommand(command: string, env: Environment): Promise<string | undefined> {
  // Windows has rules of its own for what runs; its system calls know them.
  if (command.includes(sep) || process.platform === 'win32') return command;
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, command);
    if (isAbsolute(folder) && (await isExecutable(path))) return path;
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
