import type { DecodeAnswer, WorkPart } from '../../../foundation/index.js';

/** The part of the OpenAPI document of version 2 of another server that is about a version of a group that it serves. */
export interface RemoteDocument {
  readonly hash: string;
  /** JSON with the members `paths`, `definitions`, `parameters` and `responses`. */
  readonly content: Uint8Array;
}

/** The documents of other servers, for the document of this one. */
export interface RemoteDocumentSource {
  /** Returns the current documents, in the order in which they are merged. */
  documents(): Promise<readonly RemoteDocument[]>;
  readonly decode: DecodeAnswer;
  /** Begins work of the server itself, whose memory counts against its budget. */
  readonly ownWork: () => WorkPart;
}
