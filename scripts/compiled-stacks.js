/** Makes stack traces name the source where they name the compiled source. Vitest loads it before each test file. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';

/** Source maps, by the file of the code. */
const maps = new Map();

const COMPILED = /(?:file:\/\/)?(\/[^\s()]*\/orch-apiserver\/tests\/[^\s()]*\.js):(\d+):(\d+)/g;

function mapOf(file) {
  if (!maps.has(file))
    maps.set(
      file,
      existsSync(`${file}.map`) ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) : undefined,
    );
  return maps.get(file);
}

function sourceOf(place, file, line, column) {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
  if (entry.originalSource === undefined) return place;
  const path = resolve(dirname(file), entry.originalSource);
  return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

const { prepareStackTrace } = Error;
// A process runs several test files.
if (prepareStackTrace?.name !== 'ofSource')
  Error.prepareStackTrace = function ofSource(error, trace) {
    const text = prepareStackTrace?.(error, trace) ?? [String(error), ...trace].join('\n    at ');
    return typeof text === 'string' ? text.replace(COMPILED, sourceOf) : text;
  };
