import type * as Yaml from 'yaml';
import type { Document, LineCounter, YAMLParseError } from 'yaml';
import type { DecodeLimits } from './codec.js';
import { DecodeProblem } from './decode-problem.js';

/** The YAML library as a module, which is loaded only when it is needed. */
export type YamlLibrary = typeof Yaml;

/** The first document of a stream, and where its lines begin. */
export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The words of Go's YAML parser for the mistakes that its words exist for. */
const WORDS: Readonly<Record<string, string>> = {
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
 * Parses up to the end of the first document; what comes behind it is not looked at.
 *
 * Scalars are left as text, so that {@link convertYaml} decides what they mean.
 *
 * @throws DecodeProblem for what is not YAML or nested too deep
 */
export function composeYaml(yaml: YamlLibrary, text: string, limits: DecodeLimits): ComposedYaml | undefined {
  const lines = new yaml.LineCounter();
  const parser = new yaml.Parser(lines.addNewLine);
  // The parser reports only the lines that follow; the first one begins at 0.
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
  const [mistake] = document?.errors ?? [];
  if (mistake !== undefined) throw problem(mistake, lines);
  return document === undefined ? undefined : { document, lines };
}

function* tokens(yaml: YamlLibrary, parser: InstanceType<YamlLibrary['Parser']>, text: string, limits: DecodeLimits) {
  let count = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += 1;
    if (count > limits.maxYamlTokens)
      throw new DecodeProblem(`yaml: document has more than ${limits.maxYamlTokens} tokens`);
    yield* parser.next(lexeme);
    // The document itself is one entry of the stack, the scalar in hand another.
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

function problem(mistake: YAMLParseError, lines: LineCounter): DecodeProblem {
  if (mistake.code === 'RESOURCE_EXHAUSTION') return new DecodeProblem('yaml: exceeded max depth', { cause: mistake });
  const { line } = lines.linePos(mistake.pos[0]);
  return new DecodeProblem(`yaml: line ${Math.max(line, 1)}: ${WORDS[mistake.code] ?? mistake.message}`, {
    cause: mistake,
  });
}
