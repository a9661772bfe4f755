import { inSlices, isJsonObject, type Dialect, type JsonObject } from '../../../foundation/index.js';
import { MergedDocument } from './merged-document.js';
import { mergeableDocument } from './partial-document.js';
import type { RemoteDocument, RemoteDocumentSource } from './remote-document.js';

/** How a merged document is used. */
export interface MergedUse<Result> {
  readonly dialect: Dialect;
  /** Its memory is released when the result is there. */
  readonly use: (document: JsonObject) => Promise<Result>;
}

/**
 * Adds the documents of other servers to that of this one, in slices and with the memory of their values reserved.
 *
 * @throws ApiError 429 when the memory does not fit into the budget
 */
export async function withDocuments<Result>(
  { decode, ownWork }: Pick<RemoteDocumentSource, 'decode' | 'ownWork'>,
  own: JsonObject,
  documents: readonly RemoteDocument[],
  { dialect: { openApi }, use }: MergedUse<Result>,
): Promise<Result> {
  const work = ownWork();
  try {
    const kinds = `${openApi.extensionPrefix}group-version-kind`;
    const merged = await inSlices(work, MergedDocument.of(work, own, kinds));
    for (const { content } of documents) {
      const document = await decode(content, work);
      if (isJsonObject(document)) await inSlices(work, merged.add(mergeableDocument(document)));
    }
    return await use(merged.document());
  } finally {
    work.end();
  }
}
