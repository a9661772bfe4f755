/**
 * Opens the streams of pods. Loaded with the first one.
 *
 * @module
 */
import {
  aBoolean,
  aName,
  aSignal,
  aText,
  checkOptions,
  either,
  matching,
  shown,
  type MessageSocket,
  type OptionChecks,
} from '../../foundation/index.js';
import type { Call, ClientBackend } from '../backend.js';
import { ContainerSession } from './container-session.js';
import { PortStream } from './port-stream.js';
import type { AttachParameters, PortForwardParameters, StreamParameters } from './stream-parameters.js';

const anInput = matching(
  'a boolean, a string, bytes, or an async iterable of these',
  (value) =>
    value instanceof Uint8Array || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value),
);

const attachChecks: OptionChecks<AttachParameters> = {
  container: aName,
  stdin: either(either(aBoolean, aText), anInput),
  stdout: aBoolean,
  stderr: aBoolean,
  tty: aBoolean,
  signal: aSignal,
};

const portChecks: OptionChecks<PortForwardParameters> = { signal: aSignal };

/** Opens the streams of a call. The call has its query and signal as parameters. */
export type OpenStreams = (parameters: StreamParameters) => { readonly backend: ClientBackend; readonly call: Call };

/** Attaches to a container. @param command the command to run; undefined for the container's own process */
export async function openSession(
  open: OpenStreams,
  parameters: AttachParameters,
  command?: readonly string[],
): Promise<ContainerSession> {
  const verb = command === undefined ? 'attach' : 'exec';
  checkOptions(verb, parameters, attachChecks);
  if (command !== undefined) checkCommand(command);
  const { container, stdin = false, stdout = true, tty = false, stderr = !tty, signal } = parameters;
  if (tty && stderr) throw new TypeError(`${verb}: a terminal has one stream of output: leave out stderr`);
  if (stdin === false && !stdout && !stderr) throw new TypeError(`${verb}: ask for one of stdin, stdout and stderr`);
  const query = new URLSearchParams((command ?? []).map((word) => ['command', word]));
  if (container !== undefined) query.set('container', container);
  for (const [name, value] of Object.entries({ stdin: stdin !== false, stdout, stderr, tty }))
    if (value) query.set(name, 'true');
  const { socket, ended } = await opened(open, query, signal);
  return new ContainerSession(socket, { stdin }, ended);
}

/** Connects to a port of a pod. */
export async function openPort(
  open: OpenStreams,
  port: number,
  parameters: PortForwardParameters,
): Promise<PortStream> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new TypeError(`portForward: the second argument must be the number of a port, got ${shown(port)}`);
  checkOptions('portForward', parameters, portChecks);
  const { socket, ended } = await opened(open, new URLSearchParams({ ports: String(port) }), parameters.signal);
  return new PortStream(socket, ended);
}

function checkCommand(command: readonly string[]): void {
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === 'string'))
    throw new TypeError(`exec: the second argument must be a command as a list of words, got ${shown(command)}`);
}

/** @returns the connection, and the signal that ends it */
async function opened(
  open: OpenStreams,
  query: URLSearchParams,
  signal: AbortSignal | undefined,
): Promise<{ readonly socket: MessageSocket; readonly ended: AbortSignal | undefined }> {
  const { backend, call } = open({ query, signal });
  signal?.throwIfAborted();
  const socket = await backend.openStreams(call);
  const { closed } = backend;
  const signals = [signal, closed].filter((one) => one !== undefined);
  const ended = signals.length < 2 ? signals[0] : AbortSignal.any(signals);
  if (ended?.aborted !== true) return { socket, ended };
  socket.close();
  throw ended.reason;
}
