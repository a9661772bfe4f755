import { JsonReporter } from 'vitest/node';

/**
 * Vitest's JSON report, with the causes of errors and the errors of hooks: a test that waits for a process that has ended fails
 * with its time, and only a cause or the hook that removes the process tells why. Errors outside tests, for which the report has
 * no place, go to stderr.
 */
export default class CausesReport extends JsonReporter {
  async onTestRunEnd(modules, unhandledErrors) {
    for (const module of modules) {
      const hooks = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
      for (const test of module.children.allTests('failed'))
        for (const error of test.result().errors)
          error.stack = [error, ...causesOf(error), ...hooks].map(textOf).join('\n  beside: ');
    }
    await super.onTestRunEnd(modules);
    for (const error of unhandledErrors)
      console.error(
        `${error.type ?? 'Error'} outside a test: ${[error, ...causesOf(error)].map(shownOf).join('\n  beside: ')}${placeOf(error)}`,
      );
  }
}

const textOf = ({ stack, message }) => stack ?? message;
/** Without the frames of packages, since .ci/run shows only the last lines of what the tests print. */
const shownOf = (error) =>
  textOf(error)
    .split('\n')
    .filter((line) => !/^\s+at .*node_modules/.test(line))
    .join('\n');

/** The test that ran, or the file: where the error came from, unless it is left from one that had ended. */
const placeOf = ({ VITEST_TEST_NAME: test, VITEST_TEST_PATH: path }) =>
  path === undefined ? '' : `\n  while ${path} ran${test === undefined ? '' : `: ${test}`}`;

function* causesOf({ cause }) {
  if (cause === undefined || cause === null) return;
  yield cause;
  yield* causesOf(cause);
}
