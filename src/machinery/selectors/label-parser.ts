import { ApiError, errors, invalid, qualifiedName } from '../../foundation/index.js';
import { scanLabelSelector, type LabelToken, type LabelTokenKind } from './label-lexer.js';
import { BINARY_OPERATORS, LabelRequirement, type LabelOperator } from './label-requirement.js';
import { checkRequirementCount, type SelectorLimits } from './limits.js';

/** The operators by the token between a key and values. */
const BINARY: Partial<Readonly<Record<LabelTokenKind, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};
const END: LabelToken = { kind: 'end', text: '' };

/**
 * Parses the grammar of label selectors: requirements joined by commas, each `key`, `!key`, `key=value`, `key==value`,
 * `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key>1` or `key<1`.
 *
 * @returns the requirements as written
 * @throws ApiError (400) with the message of Kubernetes, or for more requirements than the limit
 */
export function parseLabelRequirements(text: string, limits?: SelectorLimits): LabelRequirement[] {
  return new LabelParser(scanLabelSelector(text), limits).parse();
}

class LabelParser {
  readonly #tokens: readonly LabelToken[];
  readonly #limits: SelectorLimits | undefined;
  #position = 0;

  constructor(tokens: readonly LabelToken[], limits: SelectorLimits | undefined) {
    this.#tokens = tokens;
    this.#limits = limits;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (!isName(token) && token.kind !== '!')
        throw unexpected(token, ", expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirementInContext());
      checkRequirementCount(requirements.length, this.#limits);
      const separator = this.#next();
      if (separator.kind === 'end') return requirements;
      if (separator.kind !== ',') throw unexpected(separator, ", expected: ',' or 'end of string'");
      const following = this.#peek();
      if (!isName(following) && following.kind !== '!') throw unexpected(following, ", expected: identifier after ','");
    }
  }

  /** Adds context to errors inside a requirement. */
  #requirementInContext(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw errors.badRequest(`unable to parse requirement: ${error.message}`);
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#next();
    const key = this.#key();
    if (negated) return LabelRequirement.of(key, '!', []);
    const { kind } = this.#peek();
    if (kind === 'end' || kind === ',') return LabelRequirement.of(key, 'exists', []);
    const token = this.#next();
    const operator = BINARY[token.kind];
    if (operator === undefined) throw unexpected(token, `, expected: ${BINARY_OPERATORS.join(', ')}`);
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#exactValue()];
    return LabelRequirement.of(key, operator, [...new Set(values)].sort());
  }

  #key(): string {
    const token = this.#next();
    if (!isName(token)) throw unexpected(token, ', expected: identifier');
    const texts = qualifiedName(token.text);
    // Kubernetes has no field path here and shows `<nil>`.
    if (texts.length > 0) throw errors.badRequest(String(invalid('<nil>', token.text, texts.join('; '))));
    return token.text;
  }

  #exactValue(): string {
    const { kind } = this.#peek();
    if (kind === 'end' || kind === ',') return '';
    const token = this.#next();
    if (!isName(token)) throw unexpected(token, ', expected: identifier');
    return token.text;
  }

  #set(): string[] {
    const open = this.#next();
    if (open.kind !== '(') throw unexpected(open, " expected: '('");
    const first = this.#peek();
    if (first.kind === ')') {
      this.#next();
      return [''];
    }
    if (!isName(first) && first.kind !== ',') throw unexpected(first, ", expected: ',', ')' or identifier");
    return this.#setValues();
  }

  /** Reads values up to the closing parenthesis. An absent value before, between or after commas is the empty value. */
  #setValues(): string[] {
    const values: string[] = [];
    let closed = false;
    while (!closed) {
      const token = this.#next();
      if (isName(token)) {
        values.push(token.text);
        const following = this.#peek();
        closed = following.kind === ')';
        if (!closed && following.kind !== ',') throw unexpected(following, ", expected: ',' or ')'");
      } else if (token.kind === ',') {
        closed = this.#emptyValues(values);
      } else {
        throw unexpected(token, ", expected: ',', or identifier");
      }
    }
    this.#next();
    return values;
  }

  /** Adds the empty values around the comma just read. Returns true when the set ends after it. */
  #emptyValues(values: string[]): boolean {
    if (values.length === 0) values.push('');
    const { kind } = this.#peek();
    if (kind === ',' || kind === ')') values.push('');
    if (kind === ',') this.#next();
    return kind === ')';
  }

  #peek(): LabelToken {
    return this.#tokens[this.#position] ?? END;
  }

  #next(): LabelToken {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }
}

/**
 * Returns true for a name. `in` and `notin` are operators only where an operator is expected; elsewhere they are names.
 */
function isName(token: LabelToken): boolean {
  return token.kind === 'identifier' || token.kind === 'in' || token.kind === 'notin';
}

function unexpected(token: LabelToken, expectation: string): ApiError {
  return errors.badRequest(`found '${token.text}'${expectation}`);
}
