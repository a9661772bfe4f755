import type { Steps, Work } from '../../../../foundation/index.js';
import type { DecodedDocument } from '../../codec.js';
import type { YamlText } from './yaml-cursor.js';
import { YamlBuilder, type BuildLimits } from './yaml-build.js';
import { YamlParser } from './yaml-parse.js';
import { YamlScanner } from './yaml-scan.js';

/** Units of a token, and of a piece of one that is not complete: its lines cost more than its characters. */
const TOKEN_UNITS = 4;
const PIECE_UNITS = 256;

/**
 * Reads the first document of a YAML stream, and ignores the rest.
 *
 * @param work spends a unit for 16 characters, four for a token; memory is reserved before values are made
 * @throws DecodeProblem in the words of Go's YAML library for invalid YAML; ApiError 413 for too many objects and lists
 */
export function* yamlSteps(text: YamlText, limits: BuildLimits, work: Work): Steps<DecodedDocument> {
  const scanner = new YamlScanner(text);
  const builder = new YamlBuilder(limits, work);
  const parser = new YamlParser(scanner, builder);
  let counted = 0;
  while (!parser.isDone) {
    const token = scanner.peek();
    const steps = token === undefined ? undefined : parser.next(token);
    if (steps !== undefined) yield* steps;
    const { position } = scanner;
    const units = ((position - counted) >> 4) + (token === undefined ? PIECE_UNITS : TOKEN_UNITS);
    counted = position;
    if (work.spend(units)) yield;
  }
  if (builder.problem !== undefined) throw builder.problem;
  return { value: builder.value, duplicates: builder.duplicates, duplicateForm: 'line' };
}
