/** Kinds of tokens of YAML. */
export const TokenKind = {
  STREAM_END: 1,
  VERSION: 2,
  TAG_HANDLE: 3,
  DOCUMENT_START: 4,
  DOCUMENT_END: 5,
  BLOCK_SEQUENCE_START: 6,
  BLOCK_MAPPING_START: 7,
  BLOCK_END: 8,
  FLOW_SEQUENCE_START: 9,
  FLOW_SEQUENCE_END: 10,
  FLOW_MAPPING_START: 11,
  FLOW_MAPPING_END: 12,
  BLOCK_ENTRY: 13,
  FLOW_ENTRY: 14,
  KEY: 15,
  VALUE: 16,
  ALIAS: 17,
  ANCHOR: 18,
  TAG: 19,
  PLAIN: 20,
  QUOTED: 21,
} as const;

/** A kind of token. */
export type TokenKind = (typeof TokenKind)[keyof typeof TokenKind];

/** A token of a YAML stream. */
export interface YamlToken {
  readonly kind: TokenKind;
  /** Line where it begins, from 0. */
  readonly line: number;
  /** Text of a scalar, name of an anchor or alias, handle of a tag, version. */
  readonly text: string;
  /** Suffix of a tag, or the prefix that a handle stands for. */
  readonly suffix: string;
}
