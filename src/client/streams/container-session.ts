import {
  ApiError,
  concatBytes,
  decodeUtf8Lossy,
  isJsonObject,
  parsedJson,
  toError,
  type JsonObject,
  type MessageSocket,
} from '../../foundation/index.js';
import { ConnectionLostError } from '../../server/index.js';
import type { AttachParameters } from './stream-parameters.js';
import { StreamLink } from './stream-link.js';

/** The channels of a client that is attached to a container. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** Default maximum size of the output that is collected, in bytes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The output of a command that has ended. */
export interface CommandOutput {
  readonly stdout: string;
  /** Empty with a terminal, whose one stream is `stdout`. */
  readonly stderr: string;
  readonly exitCode: number;
}

/**
 * The streams of a process in a container. Read all that you have asked for: while a megabyte of one is unread, the others
 * wait, too.
 */
export class ContainerSession implements AsyncDisposable {
  readonly #link: StreamLink;
  readonly #hasInput: boolean;
  readonly #stopInput = new AbortController();
  /** Output of the process. Ends when the process does, or the signal aborts. @throws ConnectionLostError */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Error output of the process, as {@link ContainerSession.stdout}. */
  readonly stderr: AsyncIterable<Uint8Array>;
  /**
   * Resolves with the exit code of the process. Rejects with an ApiError when it cannot be run, with a ConnectionLostError
   * when the connection ends before it, and with the reason of the signal.
   */
  readonly exitCode: Promise<number>;

  /** @internal */
  constructor(socket: MessageSocket, { stdin }: Pick<AttachParameters, 'stdin'>, signal: AbortSignal | undefined) {
    const link = new StreamLink(socket, signal);
    this.#link = link;
    this.#hasInput = stdin !== undefined && stdin !== false;
    this.stdout = link.output(STDOUT);
    this.stderr = link.output(STDERR);
    let exit: ExitStatus | undefined;
    link.onMessage(ERROR, (data) => {
      if (data.length === 0) return;
      exit = exitOf(data);
      link.finish(undefined);
    });
    this.exitCode = link.over.then((failure) => {
      this.#stopInput.abort();
      if (exit !== undefined && 'code' in exit) return exit.code;
      throw exit?.failure ?? failure ?? new Error('the session was closed');
    });
    // Whoever reads the streams only need not know how it ended.
    this.exitCode.catch(() => undefined);
    link.start(() =>
      exit === undefined ? new ConnectionLostError('the connection ended before the process') : undefined,
    );
    if (stdin !== undefined && typeof stdin !== 'boolean') void this.#pipe(stdin);
  }

  /**
   * Sends to the input of the process. Resolves when it can take more.
   *
   * @throws TypeError without the option `stdin`; Error after the end
   */
  async write(chunk: string | Uint8Array): Promise<void> {
    if (!this.#hasInput) throw new TypeError('write: the session has no input: pass the option stdin');
    await this.#link.write(STDIN, chunk);
  }

  /** Ends the input of the process. @throws Error when the protocol of the server, before version 5, cannot do that */
  async end(): Promise<void> {
    if (!this.#link.endsInputs)
      throw new Error('the server cannot end the input of a process: its protocol is older than version 5');
    await this.#link.endInput(STDIN);
  }

  /** Tells the process the size of the terminal, in characters. */
  async resize({ width, height }: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#link.write(RESIZE, JSON.stringify({ Width: width, Height: height }));
  }

  /**
   * Reads the streams to their ends.
   *
   * @param maxBytes maximum size of the output; default 64 MiB
   * @throws as {@link ContainerSession.exitCode}; Error for more output
   */
  async output({ maxBytes = MAX_OUTPUT }: { readonly maxBytes?: number | undefined } = {}): Promise<CommandOutput> {
    let size = 0;
    const collected = async (source: AsyncIterable<Uint8Array>): Promise<string> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of source) {
        size += chunk.length;
        if (size > maxBytes) throw new Error(`the output is longer than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return decodeUtf8Lossy(concatBytes(chunks));
    };
    try {
      const [stdout, stderr] = await Promise.all([collected(this.stdout), collected(this.stderr)]);
      return { stdout, stderr, exitCode: await this.exitCode };
    } finally {
      this.close();
    }
  }

  /** Ends the session: the process gets no more input, and its output is dropped. */
  close(): void {
    this.#link.finish(undefined);
  }

  /** Calls {@link ContainerSession.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  async #pipe(source: Exclude<AttachParameters['stdin'], boolean | undefined>): Promise<void> {
    try {
      const chunks = typeof source === 'string' || source instanceof Uint8Array ? [source] : source;
      for await (const chunk of chunks) {
        if (this.#stopInput.signal.aborted) return;
        await this.write(chunk);
      }
      await this.end();
    } catch (error) {
      this.#link.finish(toError(error));
    }
  }
}

/** The end of a process. */
type ExitStatus = { readonly code: number } | { readonly failure: ApiError };

/** Returns what the Status of a session says. */
function exitOf(data: Uint8Array): ExitStatus {
  const text = decodeUtf8Lossy(data);
  const status = parsedJson(text);
  if (!isJsonObject(status)) return { failure: new ApiError({ message: text, reason: 'InternalError', code: 500 }) };
  if (status['status'] === 'Success') return { code: 0 };
  const code = status['reason'] === 'NonZeroExitCode' ? exitCodeIn(status) : undefined;
  return code === undefined ? { failure: ApiError.fromStatus(status, 500) } : { code };
}

function exitCodeIn({ details }: JsonObject): number | undefined {
  const causes =
    isJsonObject(details) && Array.isArray(details['causes']) ? details['causes'].filter(isJsonObject) : [];
  const message = causes.find(({ reason }) => reason === 'ExitCode')?.['message'];
  return typeof message === 'string' && /^\d{1,9}$/.test(message) ? Number(message) : undefined;
}
