import { inSlices, SharedWork } from '../../foundation/index.js';
import { documentHash, hashSteps } from '../discovery/documents.js';

/** A document of OpenAPI. */
export interface OpenApiDocument {
  /** The hash in quotes, as in the `ETag` header. */
  readonly etag: string;
  /** The hash without quotes. */
  readonly hash: string;
  readonly contentType: string;
  /** Returns the content. @throws Error when a kind cannot be loaded */
  read(): Promise<Uint8Array>;
}

/** A document that is identified by the facts that it is made from, and written when it is first read. */
export class DeferredDocument implements OpenApiDocument {
  readonly hash: string;
  readonly etag: string;
  readonly contentType: string;
  readonly #write: () => Promise<Uint8Array>;
  #content: Promise<Uint8Array> | undefined;

  /** @param identity a text that changes whenever the content does */
  constructor(identity: string, contentType: string, write: () => Promise<Uint8Array>) {
    this.hash = documentHash(identity);
    this.etag = `"${this.hash}"`;
    this.contentType = contentType;
    this.#write = write;
  }

  read(): Promise<Uint8Array> {
    // A document that could not be written is written again.
    this.#content ??= this.#write().catch((error: unknown) => {
      this.#content = undefined;
      throw error;
    });
    return this.#content;
  }
}

/** Returns a document with the given content, which identifies it. */
export async function writtenDocument(content: Uint8Array, contentType: string): Promise<OpenApiDocument> {
  const hash = await inSlices(new SharedWork(), hashSteps([content]));
  return { hash, etag: `"${hash}"`, contentType, read: () => Promise.resolve(content) };
}
