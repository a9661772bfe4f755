/**
 * The answers of the containers of simulated pods to commands, to clients that attach, and on their ports.
 *
 * @see release 1.31, `GetExec` and `PortForward` of `pkg/kubelet/kubelet_pods.go` for containers that do not run
 * @module
 */
import { ApiError, goQuote, shown } from '../../foundation/index.js';
import type { AttachSession, ExecSession, PodHandlers, PortConnection } from '../../server/index.js';
import type { SimulatedPod } from '../objects.js';

/** Result of a command: the text that it writes to its output, or more than that. */
export type CommandResult =
  | string
  | {
      readonly stdout?: string | undefined;
      readonly stderr?: string | undefined;
      /** Default 0. */
      readonly exitCode?: number | undefined;
    };

/** A handler of `exec`. */
export type ExecHandler = NonNullable<PodHandlers['exec']>;
/** A handler of `attach`. */
export type AttachHandler = NonNullable<PodHandlers['attach']>;
/** A handler of `portForward`. */
export type PortForwardHandler = NonNullable<PodHandlers['portForward']>;

/**
 * The answer to commands: the output of each; the results by command line or by program, `{ 'cat /etc/version': '1.2' }`,
 * where other commands are not found; or a function.
 */
export type ExecAnswer = string | Readonly<Record<string, CommandResult>> | NonNullable<PodHandlers['exec']>;

/** The answer to a client that attaches: what the process writes before it ends; or a function. */
export type AttachAnswer = CommandResult | NonNullable<PodHandlers['attach']>;

/**
 * The answer of ports: by number, the text that is sent in response to the first bytes before the connection ends, where
 * other ports refuse connections; or a function.
 */
export type PortForwardAnswer = Readonly<Record<string, string>> | NonNullable<PodHandlers['portForward']>;

/** Exit code of a shell that does not find a program. */
const NOT_FOUND = 127;

function checked<Value>(method: string, what: string, value: Value, isValid: boolean): Value {
  if (isValid) return value;
  throw new TypeError(`pods.matching(…).${method}: the answer must be ${what}, got ${shown(value)}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string';

function isResult(value: unknown): value is CommandResult {
  if (typeof value === 'string') return true;
  if (!isRecord(value)) return false;
  const { stdout, stderr, exitCode = 0, ...others } = value;
  const isCode = typeof exitCode === 'number' && Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255;
  return isTextOrAbsent(stdout) && isTextOrAbsent(stderr) && isCode && Object.keys(others).length === 0;
}

const RESULT = 'a string or { stdout, stderr, exitCode }';

/** Returns the handler of an answer to commands. @throws TypeError for another value */
export function execHandler(answer: ExecAnswer): ExecHandler {
  if (typeof answer === 'function') return answer;
  if (typeof answer === 'string') return (_pod, session) => play(session, answer);
  const isTable = isRecord(answer) && Object.values(answer).every(isResult);
  const what = `a string, a function, or an object that has ${RESULT} for each command`;
  const results = new Map(Object.entries(checked('exec', what, answer, isTable)));
  return (_pod, session) => {
    const { command } = session;
    const program = command[0] ?? '';
    const result = results.get(command.join(' ')) ?? results.get(program);
    return play(session, result ?? { stderr: `${program}: command not found\n`, exitCode: NOT_FOUND });
  };
}

/** Returns the handler of an answer to clients that attach. @throws TypeError for another value */
export function attachHandler(answer: AttachAnswer): AttachHandler {
  if (typeof answer === 'function') return answer;
  const result = checked('attach', `${RESULT}, or a function`, answer, isResult(answer));
  return (_pod, session) => play(session, result);
}

/** Returns the handler of an answer of ports. @throws TypeError for another value */
export function portForwardHandler(answer: PortForwardAnswer): PortForwardHandler {
  if (typeof answer === 'function') return answer;
  const isTable = isRecord(answer) && Object.values(answer).every((text) => typeof text === 'string');
  const what = 'a function, or an object that has a string for each port';
  const texts = new Map(Object.entries(checked('portForward', what, answer, isTable)));
  return (_pod, connection) => answerPort(connection, texts.get(String(connection.port)));
}

async function play(session: AttachSession | ExecSession, result: CommandResult): Promise<number> {
  const { stdout = '', stderr = '', exitCode = 0 } = typeof result === 'string' ? { stdout: result } : result;
  if (stdout !== '') await session.stdout?.write(stdout);
  // A terminal has one stream.
  if (stderr !== '') await (session.tty ? session.stdout : session.stderr)?.write(stderr);
  return exitCode;
}

async function answerPort({ port, data, write }: PortConnection, text: string | undefined): Promise<void> {
  if (text === undefined) throw failed(`dial tcp4 127.0.0.1:${port}: connect: connection refused`);
  for await (const _chunk of data) break;
  await write(text);
}

const failed = (message: string): ApiError => new ApiError({ message, reason: 'InternalError', code: 500 });

/** Refuses a container that does not run. @throws ApiError 500 */
export function requireRunning({ status = {} }: SimulatedPod, container: string): void {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  if (all.find(({ name }) => name === container)?.state?.running === undefined)
    throw failed(`unable to upgrade connection: container not found (${goQuote(container)})`);
}

/** Refuses a pod that does not run. @throws ApiError 500 */
export function requireRunningPod({ status }: SimulatedPod): void {
  const phase = status?.phase ?? '';
  if (phase !== 'Running') throw failed(`unable to forward port because pod is not running. Current status=${phase}`);
}

/** Returns the error for a request that no rule answers. @param method the method of the selected pods */
export function withoutRule(what: string, method: string): ApiError {
  return new ApiError({
    message: `no rule of the simulation answers ${what} of this pod: add one with pods.matching(…).${method}(…)`,
    reason: 'NotImplemented',
    code: 501,
  });
}
