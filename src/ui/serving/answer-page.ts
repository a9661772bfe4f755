/**
 * Answers requests for the page: its files from memory, as small as the client takes them.
 *
 * @module
 */
import { decodeBase64 } from '../../foundation/index.js';
import type { ApiRequest, ApiResponse, Handler } from '../../server/index.js';
import { codingOf, type Coding } from './codings.js';
import { pageHeaders } from './headers.js';
import { pathBelowPage } from './page-path.js';

/** A file as it is sent. */
interface ServedFile {
  readonly type: string;
  readonly hash: string;
  readonly contents: Readonly<Record<Exclude<Coding, 'identity'>, Uint8Array>>;
}

type ServedFiles = ReadonlyMap<string, ServedFile>;

/** The file that every address of the page shows. */
const DOCUMENT = 'index.html';
/** Files with a hash in their names. */
const ASSETS = 'assets/';
/** Addresses of the page, besides the empty one: tables and objects, access, traffic, a test server, the return of a provider. */
const ROUTE = /^(?:r\/|(?:access|traffic|test|sign-in)$)/;

/** Returns the handler of the requests for the page. It answers 503 where the page has not been built. */
export async function pageOf(): Promise<Handler> {
  const files = await servedFiles();
  return (request) => answerPage(request, files);
}

async function answerPage(request: ApiRequest, files: ServedFiles | undefined): Promise<ApiResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return failure(405, 'The page can only be read: use GET or HEAD', { allow: 'GET, HEAD' });
  const path = pathBelowPage(request.path);
  if (path === undefined) return failure(307, 'The page is at /ui/', { location: 'ui/' });
  if (files === undefined) return failure(503, 'This build of the server has no page: npm run build makes it');
  const isDocument = path === '' || ROUTE.test(path);
  const file = files.get(isDocument ? DOCUMENT : path);
  if (file === undefined || path === DOCUMENT) return failure(404, 'The page has no such file');
  return answerFile(request, file, isDocument ? path : undefined);
}

/** @param documentPath the path of a document below the page; undefined for another file */
async function answerFile(
  request: ApiRequest,
  file: ServedFile,
  documentPath: string | undefined,
): Promise<ApiResponse> {
  const isDocument = documentPath !== undefined;
  const coding = isDocument ? 'identity' : codingOf(request.headers.get('accept-encoding'));
  const depth = isDocument ? documentPath.split('/').length - 1 : 0;
  const etag = `"${file.hash}-${isDocument ? depth : coding}"`;
  const headers = pageHeaders({
    'content-type': file.type,
    // The name of an asset changes with its content.
    'cache-control': isDocument ? 'no-cache' : 'public, max-age=31536000, immutable',
    etag,
    ...(isDocument ? {} : { vary: 'Accept-Encoding' }),
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  });
  if (isCurrent(request.headers.get('if-none-match'), etag)) return { status: 304, headers, body: undefined };
  if (request.method === 'HEAD') return { status: 200, headers, body: undefined };
  if (coding !== 'identity') return { status: 200, headers, body: file.contents[coding] };
  const plain = await decompressed(file.contents.gzip);
  return { status: 200, headers, body: isDocument ? documentAt(plain, depth) : plain };
}

/** Returns the document of a page `depth` folders below the root of the page, with links to the files there. */
const documentAt = (plain: Uint8Array, depth: number): string =>
  new TextDecoder().decode(plain).replaceAll(`"./${ASSETS}`, `"./${'../'.repeat(depth)}${ASSETS}`);

const isCurrent = (sent: string | undefined, etag: string): boolean =>
  sent !== undefined && sent.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

const failure = (status: number, message: string, fields: Readonly<Record<string, string>> = {}): ApiResponse => ({
  status,
  headers: pageHeaders({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...fields }),
  body: `${message}\n`,
});

/** Returns the files; undefined when the page has not been built. */
async function servedFiles(): Promise<ServedFiles | undefined> {
  const built = await import('#page').catch(() => undefined);
  if (built === undefined) return undefined;
  const bytes = (text: string): Uint8Array => decodeBase64(text) ?? new Uint8Array();
  return new Map(
    built.files.map(({ path, type, hash, gzip, brotli }) => [
      path,
      { type, hash, contents: { gzip: bytes(gzip), br: bytes(brotli) } },
    ]),
  );
}

async function decompressed(gzip: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(gzip)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
