import { BodyTooLargeError, type ApiRequest, type ApiResponse, type Handler } from '../../server/index.js';

/** Runs a command of a test server. @param path such as `/clock` */
export type TestCommands = (request: ApiRequest, path: string) => Promise<ApiResponse>;

/** Where the commands of a test server are. */
export const TEST_PATH = '/ui/v1/test/';

/** Longest body of a command, in bytes. */
const LONGEST_BODY = 1024 * 1024;

/**
 * Runs a command that the server has authorized. It runs outside of the server: a command may end all requests to the
 * server, or advance its time beyond their deadlines.
 *
 * @param authorize asks the server, which drops the body with its answer
 */
export async function testCommand(request: ApiRequest, authorize: Handler, run: TestCommands): Promise<ApiResponse> {
  const { method, query, headers, peer, signal } = request;
  let sent: Uint8Array;
  try {
    sent = request.arrivedBody?.(LONGEST_BODY) ?? (await request.body(LONGEST_BODY));
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    return { status: 413, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${error.message}\n` };
  }
  const authorized = await authorize(request);
  if (authorized.status !== 200) return authorized;
  const path = request.path.slice(TEST_PATH.length - 1);
  const body = (limit: number): Promise<Uint8Array> =>
    sent.length > limit ? Promise.reject(new BodyTooLargeError(limit)) : Promise.resolve(sent);
  return run({ method, path: request.path, query, headers, peer, signal, body }, path === '/' ? '' : path);
}
