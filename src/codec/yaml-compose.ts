import type * as Yaml from 'yaml';
import type { Document, LineCounter, YAMLParseError } from 'yaml';
import type { DecodeLimits } from './codec.js';
import { DecodeProblem } from './decode-problem.js';

/** The YAML library, which is loaded on first use. */
export type YamlLibrary = typeof Yaml;

/** The first document of a stream, and the positions of its lines. */
export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** Messages of Go's YAML parser, by error code. */
const GO_MESSAGES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BAD_INDENT: 'did not find expected key',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BLOCK_IN_FLOW: 'did not find expected node content',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':'",
  BAD_DQ_ESCAPE: 'found unknown escape character',
  UNEXPECTED_TOKEN: 'did not find expected node content',
};

/**
 * Parses the first document and ignores the rest of the stream.
 *
 * Scalars remain text, which `convertYaml` resolves.
 *
 * @throws DecodeProblem for invalid YAML or excessive nesting
 */
export function composeYaml(yaml: YamlLibrary, text: string, limits: DecodeLimits): ComposedYaml | undefined {
  const lines = new yaml.LineCounter();
  const parser = new yaml.Parser(lines.addNewLine);
  // The parser does not report the first line, which begins at 0.
  lines.addNewLine(0);
  const composer = new yaml.Composer({
    schema: 'failsafe',
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  });
  const document = firstDocument(tokens(yaml, parser, text, limits), composer);
  const [error] = document?.errors ?? [];
  if (error !== undefined) throw decodeProblem(error, lines);
  return document === undefined ? undefined : { document, lines };
}

function* tokens(yaml: YamlLibrary, parser: InstanceType<YamlLibrary['Parser']>, text: string, limits: DecodeLimits) {
  let count = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += 1;
    if (count > limits.maxYamlTokens)
      throw new DecodeProblem(`yaml: document has more than ${limits.maxYamlTokens} tokens`);
    yield* parser.next(lexeme);
    // The stack also contains the document and the current scalar.
    if (parser.stack.length > limits.maxDepth + 2) throw new DecodeProblem('yaml: exceeded max depth');
  }
  yield* parser.end();
}

function firstDocument(
  stream: Iterable<Parameters<InstanceType<YamlLibrary['Composer']>['next']>[0]>,
  composer: InstanceType<YamlLibrary['Composer']>,
): Document.Parsed | undefined {
  for (const token of stream) {
    for (const document of composer.next(token)) return document;
    if (token.type === 'document') break;
  }
  for (const document of composer.end()) return document;
  return undefined;
}

function decodeProblem(error: YAMLParseError, lines: LineCounter): DecodeProblem {
  if (error.code === 'RESOURCE_EXHAUSTION') return new DecodeProblem('yaml: exceeded max depth', { cause: error });
  const { line } = lines.linePos(error.pos[0]);
  return new DecodeProblem(`yaml: line ${Math.max(line, 1)}: ${GO_MESSAGES[error.code] ?? error.message}`, {
    cause: error,
  });
}
