import type { Steps } from '../../../../foundation/index.js';
import type { DecodeProblem } from '../../decode-problem.js';
import type { YamlBuilder } from './yaml-build.js';
import { yamlProblem } from './yaml-cursor.js';
import type { YamlScanner } from './yaml-scan.js';
import { TokenKind, type YamlToken } from './yaml-token.js';

/** The part that comes next in a collection, or around it in the document. */
type State =
  | 'document'
  | 'directives'
  | 'content'
  | 'documentEnd'
  | 'blockEntry'
  | 'blockItem'
  | 'valueEntry'
  | 'valueItem'
  | 'blockKey'
  | 'blockKeyNode'
  | 'blockValue'
  | 'blockValueNode'
  | 'flowFirst'
  | 'flowItem'
  | 'flowNext'
  | 'pairKeyNode'
  | 'pairValue'
  | 'pairValueNode'
  | 'pairEnd'
  | 'flowKey'
  | 'flowKeyNode'
  | 'flowValue'
  | 'flowValueNode'
  | 'flowNoValue'
  | 'flowKeyNext';

/** A collection that has begun. */
interface Collection {
  state: State;
  /** Line where it begins, from 0. */
  readonly line: number;
}

/** Where a node stands: a list that is the value of a block mapping need not be indented. */
type Place = 'block' | 'value' | 'flow';

const SECONDARY_PREFIX = 'tag:yaml.org,2002:';

const {
  STREAM_END,
  VERSION,
  TAG_HANDLE,
  DOCUMENT_START,
  DOCUMENT_END,
  BLOCK_SEQUENCE_START,
  BLOCK_MAPPING_START,
  BLOCK_END,
  FLOW_SEQUENCE_START,
  FLOW_SEQUENCE_END,
  FLOW_MAPPING_START,
  FLOW_MAPPING_END,
  BLOCK_ENTRY,
  FLOW_ENTRY,
  KEY,
  VALUE,
  ALIAS,
  ANCHOR,
  TAG,
  PLAIN,
  QUOTED,
} = TokenKind;

/** Tokens before which a node is empty. */
const NO_CONTENT: ReadonlySet<TokenKind> = new Set([VERSION, TAG_HANDLE, DOCUMENT_START, DOCUMENT_END, STREAM_END]);
const NO_ITEM: ReadonlySet<TokenKind> = new Set([BLOCK_ENTRY, BLOCK_END]);
const NO_VALUE_ITEM: ReadonlySet<TokenKind> = new Set([BLOCK_ENTRY, KEY, VALUE, BLOCK_END]);
const NO_BLOCK_NODE: ReadonlySet<TokenKind> = new Set([KEY, VALUE, BLOCK_END]);
const NO_PAIR_KEY: ReadonlySet<TokenKind> = new Set([VALUE, FLOW_ENTRY, FLOW_SEQUENCE_END]);
const NO_PAIR_VALUE: ReadonlySet<TokenKind> = new Set([FLOW_ENTRY, FLOW_SEQUENCE_END]);
const NO_FLOW_KEY: ReadonlySet<TokenKind> = new Set([VALUE, FLOW_ENTRY, FLOW_MAPPING_END]);
const NO_FLOW_VALUE: ReadonlySet<TokenKind> = new Set([FLOW_ENTRY, FLOW_MAPPING_END]);

/** Recognises the nodes of a document in its tokens (the grammar of libyaml), and passes them to a builder. */
export class YamlParser {
  readonly #scanner: YamlScanner;
  readonly #builder: YamlBuilder;
  readonly #open: Collection[] = [{ state: 'document', line: 0 }];
  readonly #handles = new Map<string, string>();
  #hasVersion = false;
  /** Place of the node whose tokens come next; undefined between nodes. */
  #place: Place | undefined;
  #anchor: string | undefined;
  #tag: string | undefined;
  /** Line of the properties of the node; undefined without them. */
  #propertiesLine: number | undefined;
  /** Line of the indicator that has been taken last, where an empty node stands. */
  #indicatorLine = 0;

  constructor(scanner: YamlScanner, builder: YamlBuilder) {
    this.#scanner = scanner;
    this.#builder = builder;
  }

  /** Whether the document has been read. */
  get isDone(): boolean {
    return this.#open.length === 0;
  }

  /**
   * Reads the next token. Call it again until {@link isDone}.
   *
   * @returns steps that must be run before
   * @throws DecodeProblem for a token that is not expected
   */
  next(token: YamlToken): Steps<void> | undefined {
    if (this.#place !== undefined) return this.#node(token, this.#place);
    const collection = this.#open[this.#open.length - 1];
    return collection === undefined ? undefined : this.#collection(collection, token);
  }

  #collection(collection: Collection, token: YamlToken): Steps<void> | undefined {
    switch (collection.state) {
      case 'document':
      case 'directives': {
        this.#documentStart(collection, token);
        return;
      }
      case 'content':
        return this.#nodeUnless(NO_CONTENT, collection, token, 'documentEnd', 'block');
      case 'documentEnd':
        this.#open.pop();
        return undefined;
      case 'blockEntry':
        if (token.kind === BLOCK_ENTRY) {
          this.#taken(collection, token, 'blockItem');
          return;
        }
        if (token.kind === BLOCK_END) return this.#end(true);
        throw problemAt("did not find expected '-' indicator", token, collection);
      case 'blockItem':
        return this.#nodeUnless(NO_ITEM, collection, token, 'blockEntry', 'block');
      case 'valueEntry':
        if (token.kind === BLOCK_ENTRY) {
          this.#taken(collection, token, 'valueItem');
          return;
        }
        return this.#end(false);
      case 'valueItem':
        return this.#nodeUnless(NO_VALUE_ITEM, collection, token, 'valueEntry', 'block');
      case 'blockKey':
        if (token.kind === KEY) {
          this.#taken(collection, token, 'blockKeyNode');
          return;
        }
        if (token.kind === BLOCK_END) return this.#end(true);
        throw problemAt('did not find expected key', token, collection);
      case 'blockKeyNode':
        return this.#nodeUnless(NO_BLOCK_NODE, collection, token, 'blockValue', 'value');
      case 'blockValue':
        if (token.kind === VALUE) {
          this.#taken(collection, token, 'blockValueNode');
          return;
        }
        {
          this.#empty(collection, 'blockKey', token.line);
          return;
        }
      case 'blockValueNode':
        return this.#nodeUnless(NO_BLOCK_NODE, collection, token, 'blockKey', 'value');
      default:
        return this.#flow(collection, token);
    }
  }

  #flow(collection: Collection, token: YamlToken): Steps<void> | undefined {
    switch (collection.state) {
      case 'flowFirst':
      case 'flowItem':
        if (token.kind === KEY) {
          this.#pair(collection, token);
          return;
        }
        if (token.kind === FLOW_SEQUENCE_END) return this.#end(true);
        {
          this.#nodeNext(collection, 'flowNext', 'flow');
          return;
        }
      case 'flowNext':
        if (token.kind === FLOW_ENTRY) {
          this.#taken(collection, token, 'flowItem');
          return;
        }
        if (token.kind === FLOW_SEQUENCE_END) return this.#end(true);
        throw problemAt("did not find expected ',' or ']'", token, collection);
      case 'pairKeyNode':
        return this.#nodeUnless(NO_PAIR_KEY, collection, token, 'pairValue', 'flow');
      case 'pairValue':
        if (token.kind === VALUE) {
          this.#taken(collection, token, 'pairValueNode');
          return;
        }
        {
          this.#empty(collection, 'pairEnd', token.line);
          return;
        }
      case 'pairValueNode':
        return this.#nodeUnless(NO_PAIR_VALUE, collection, token, 'pairEnd', 'flow');
      case 'pairEnd':
        return this.#end(false);
      case 'flowKey':
        if (token.kind === KEY) {
          this.#taken(collection, token, 'flowKeyNode');
          return;
        }
        if (token.kind === FLOW_MAPPING_END) return this.#end(true);
        {
          this.#nodeNext(collection, 'flowNoValue', 'flow');
          return;
        }
      case 'flowKeyNode':
        return this.#nodeUnless(NO_FLOW_KEY, collection, token, 'flowValue', 'flow');
      case 'flowValue':
        if (token.kind === VALUE) {
          this.#taken(collection, token, 'flowValueNode');
          return;
        }
        {
          this.#empty(collection, 'flowKeyNext', token.line);
          return;
        }
      case 'flowValueNode':
        return this.#nodeUnless(NO_FLOW_VALUE, collection, token, 'flowKeyNext', 'flow');
      case 'flowNoValue': {
        this.#empty(collection, 'flowKeyNext', token.line);
        return;
      }
      default:
        if (token.kind === FLOW_ENTRY) {
          this.#taken(collection, token, 'flowKey');
          return;
        }
        if (token.kind === FLOW_MAPPING_END) return this.#end(true);
        throw problemAt("did not find expected ',' or '}'", token, collection);
    }
  }

  #documentStart(document: Collection, token: YamlToken): undefined {
    const { kind } = token;
    if (kind === VERSION || kind === TAG_HANDLE) {
      this.#directive(token);
      this.#taken(document, token, 'directives');
    } else if (kind === DOCUMENT_START) {
      this.#taken(document, token, 'content');
    } else if (document.state === 'directives') {
      throw yamlProblem('did not find expected <document start>', token.line);
    } else if (kind === STREAM_END) {
      this.#open.pop();
    } else {
      this.#nodeNext(document, 'documentEnd', 'block');
    }
  }

  #directive({ kind, text, suffix, line }: YamlToken): void {
    if (kind === TAG_HANDLE) {
      if (this.#handles.has(text)) throw yamlProblem('found duplicate %TAG directive', line);
      this.#handles.set(text, suffix);
      return;
    }
    if (this.#hasVersion) throw yamlProblem('found duplicate %YAML directive', line);
    if (text !== '1.1') throw yamlProblem('found incompatible YAML document', line);
    this.#hasVersion = true;
  }

  /** Takes a token, and continues in a state. */
  #taken(collection: Collection, token: YamlToken, state: State): undefined {
    this.#scanner.take();
    this.#indicatorLine = token.line;
    collection.state = state;
  }

  /** Continues with a node, and in a state behind it. */
  #nodeNext(collection: Collection, state: State, place: Place): undefined {
    collection.state = state;
    this.#place = place;
  }

  /** Continues with a node, or with an empty one before some tokens. */
  #nodeUnless(
    empty: ReadonlySet<TokenKind>,
    collection: Collection,
    token: YamlToken,
    state: State,
    place: Place,
  ): Steps<void> | undefined {
    if (empty.has(token.kind)) {
      this.#empty(collection, state, this.#indicatorLine);
      return;
    }
    this.#nodeNext(collection, state, place);
  }

  #empty(collection: Collection, state: State, line: number): undefined {
    collection.state = state;
    this.#builder.scalar({ text: '', isPlain: true, tag: undefined }, undefined, line);
  }

  #end(isTaken: boolean): Steps<void> | undefined {
    if (isTaken) this.#scanner.take();
    this.#open.pop();
    return this.#builder.end();
  }

  /** Begins a mapping of one pair within a list. */
  #pair(list: Collection, token: YamlToken): undefined {
    this.#taken(list, token, 'flowNext');
    this.#open.push({ state: 'pairKeyNode', line: token.line });
    this.#builder.begin(false, undefined, token.line);
  }

  /** Reads a token of a node: its properties, or its content. */
  #node(token: YamlToken, place: Place): Steps<void> | undefined {
    const { kind, line } = token;
    const hasProperties = this.#propertiesLine !== undefined;
    switch (kind) {
      case ANCHOR:
        if (this.#anchor !== undefined) break;
        this.#anchor = token.text;
        {
          this.#property(line);
          return;
        }
      case TAG:
        if (this.#tag !== undefined) break;
        this.#tag = this.#completeTag(token);
        {
          this.#property(line);
          return;
        }
      case ALIAS:
        if (hasProperties) break;
        this.#scanner.take();
        this.#place = undefined;
        return this.#builder.alias(token.text, line);
      case PLAIN:
      case QUOTED:
        this.#scanner.take();
        {
          this.#scalar(token.text, kind === PLAIN, line);
          return;
        }
      case FLOW_SEQUENCE_START: {
        this.#begin(true, 'flowFirst', line, true);
        return;
      }
      case FLOW_MAPPING_START: {
        this.#begin(false, 'flowKey', line, true);
        return;
      }
      case BLOCK_SEQUENCE_START:
        if (place !== 'flow') {
          this.#begin(true, 'blockEntry', line, true);
          return;
        }
        break;
      case BLOCK_MAPPING_START:
        if (place !== 'flow') {
          this.#begin(false, 'blockKey', line, true);
          return;
        }
        break;
      case BLOCK_ENTRY:
        if (place === 'value') {
          this.#begin(true, 'valueEntry', line, false);
          return;
        }
        break;
      default:
    }
    if (hasProperties) {
      this.#scalar('', true, line);
      return;
    }
    throw yamlProblem('did not find expected node content', line);
  }

  #property(line: number): undefined {
    this.#scanner.take();
    this.#propertiesLine ??= line;
  }

  #completeTag({ text: handle, suffix, line }: YamlToken): string {
    if (handle === '') return suffix;
    const prefix = this.#handles.get(handle) ?? (handle === '!' ? '!' : handle === '!!' ? SECONDARY_PREFIX : undefined);
    if (prefix === undefined) throw yamlProblem('found undefined tag handle', line);
    return prefix + suffix;
  }

  #scalar(text: string, isPlain: boolean, line: number): undefined {
    this.#builder.scalar({ text, isPlain, tag: this.#tag }, this.#anchor, this.#propertiesLine ?? line);
    this.#endProperties();
  }

  #begin(isList: boolean, state: State, line: number, isTaken: boolean): undefined {
    if (isTaken) this.#scanner.take();
    const start = this.#propertiesLine ?? line;
    this.#open.push({ state, line: start });
    this.#builder.begin(isList, this.#anchor, start);
    this.#endProperties();
  }

  #endProperties(): void {
    this.#place = undefined;
    this.#anchor = this.#tag = this.#propertiesLine = undefined;
  }
}

/** Creates the problem of a token; on the first line, that of its collection, as Go's YAML library places it. */
const problemAt = (text: string, token: YamlToken, collection: Collection): DecodeProblem =>
  yamlProblem(text, token.line === 0 ? collection.line : token.line);
