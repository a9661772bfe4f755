import { ApiError, decodeUtf8Lossy, errors, type Status } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';
import { parseFlag } from '../operations/list-options.js';
import type { WebSocketAnswer } from '../requests/http.js';
import { Channels, selectProtocol, type ChannelProtocol } from './channels.js';
import { answerOf, type Connection } from './connection.js';
import type { AttachSession, OutputStream, TerminalSize } from './handlers.js';
import type { PodRequest } from './pod-request.js';
import { containerOf, requireNode, withoutHandler } from './pod-target.js';

/** The channels of a client that is attached to a container. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** Longest message with a size: clients send some 30 bytes. Parsing others would take the time of everybody. */
const MAX_SIZE_BYTES = 1024;

/** The container and the streams that a client asked for. */
interface Requested {
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Parses the options of `exec` and `attach`. @throws ApiError 400 when the client wants no stream */
function parseOptions(query: URLSearchParams): Requested {
  const flag = (name: string): boolean => {
    const value = query.get(name);
    return value !== null && parseFlag(value);
  };
  const tty = flag('tty');
  const requested = {
    container: query.get('container') ?? '',
    stdin: flag('stdin'),
    stdout: flag('stdout'),
    // A terminal has one stream of output.
    stderr: flag('stderr') && !tty,
    tty,
  };
  if (!requested.stdin && !requested.stdout && !requested.stderr)
    throw errors.badRequest('you must specify at least 1 of stdin, stdout, stderr');
  return requested;
}

/** Yields the sizes that a client sends as JSON. Anything that is not a size is ignored. */
async function* sizesOf(messages: AsyncIterable<Uint8Array>): AsyncGenerator<TerminalSize> {
  for await (const message of messages) {
    if (message.length > MAX_SIZE_BYTES) continue;
    try {
      const { Width: width, Height: height } = JSON.parse(decodeUtf8Lossy(message)) as Record<string, unknown>;
      if (typeof width === 'number' && typeof height === 'number') yield { width, height };
    } catch {
      // A client that sends something else keeps its size.
    }
  }
}

/** Returns the Status that tells a client how its command ended. */
function exitStatus(code: number): Partial<Status> {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** Returns the Status of a handler that failed. Only an ApiError says why. */
const failureStatus = (error: unknown): Status =>
  error instanceof ApiError ? error.status : errors.unexpected(error).status;

/** The process in the container: the handler, with its option and subresource. */
interface Attached {
  readonly what: string;
  readonly option: string;
  readonly run: ((pod: StoredPod, session: AttachSession) => unknown) | undefined;
}

/** The streams of one client. */
class Session {
  readonly #channels: Channels;
  readonly #connection: Connection;

  constructor(protocol: ChannelProtocol, connection: Connection) {
    this.#channels = new Channels(protocol, connection.memory);
    this.#connection = connection;
  }

  /** Starts the handler and returns the answer to the client. It ends when the handler has ended. */
  start({ pod, user }: PodRequest, requested: Requested, { run }: Attached): Omit<WebSocketAnswer, 'protocol'> {
    const channels = this.#channels;
    const { stdin, stdout, stderr, tty, container } = requested;
    const session: AttachSession = {
      ...{ container, tty, user, signal: this.#connection.signal },
      stdin: stdin ? channels.input(STDIN) : undefined,
      stdout: stdout ? this.#output(STDOUT) : undefined,
      stderr: stderr ? this.#output(STDERR) : undefined,
      resizes: sizesOf(channels.input(RESIZE)),
    };
    // Tells the client that the streams are open.
    void channels.write(stdout ? STDOUT : stderr ? STDERR : ERROR, '');
    void this.#finish(answerOf(this.#connection, () => run?.(pod, session)));
    return {
      messages: channels.messages,
      receive: (message) => channels.receive(message),
      closed: () => channels.close(),
    };
  }

  #output(channel: number): OutputStream {
    return { write: (chunk) => this.#channels.write(channel, chunk) };
  }

  async #finish(running: Promise<unknown>): Promise<void> {
    let status: Partial<Status>;
    try {
      const code = await running;
      status = exitStatus(typeof code === 'number' ? code : 0);
    } catch (error) {
      if (!(error instanceof ApiError) && !this.#connection.signal.aborted)
        this.#connection.logger.error('the handler of a pod failed', { error });
      status = failureStatus(error);
    }
    this.#channels.dropInputs();
    const sent = this.#channels.write(ERROR, JSON.stringify(status));
    this.#channels.close();
    await sent;
  }
}

function attach(request: PodRequest, connection: Connection, attached: Attached): WebSocketAnswer {
  const { pod, query, offered, dialect } = request;
  const requested = parseOptions(query);
  const container = containerOf(pod, requested.container);
  if (attached.run === undefined) {
    requireNode(pod);
    throw withoutHandler(attached.what, attached.option);
  }
  const protocol = selectProtocol(offered, dialect);
  const started = new Session(protocol, connection).start(request, { ...requested, container }, attached);
  return { protocol: protocol.name, ...started };
}

/** Answers `pods/exec`: runs the command with the handler. */
export function podExec(request: PodRequest, connection: Connection): WebSocketAnswer {
  const handler = connection.handlers.pods?.exec;
  const command = request.query.getAll('command');
  const run = handler && ((pod: StoredPod, session: AttachSession): unknown => handler(pod, { ...session, command }));
  return attach(request, connection, { what: 'pods/exec', option: 'pods.exec', run });
}

/** Answers `pods/attach`: connects the client with the handler. */
export function podAttach(request: PodRequest, connection: Connection): WebSocketAnswer {
  const run = connection.handlers.pods?.attach;
  return attach(request, connection, { what: 'pods/attach', option: 'pods.attach', run });
}
