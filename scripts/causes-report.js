import { JsonReporter } from 'vitest/node';

/**
 * Vitest's JSON report, with the causes of errors and the errors of hooks: a test that waits for a process that has ended fails
 * with its time, and only a cause or the hook that removes the process tells why. Errors outside tests are in it like files that
 * failed to load.
 */
export default class CausesReport extends JsonReporter {
  #outside = [];

  async onTestRunEnd(modules, unhandledErrors) {
    this.#outside = unhandledErrors;
    for (const module of modules) {
      const hooks = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
      for (const test of module.children.allTests('failed'))
        for (const error of test.result().errors) error.stack = textOf(error, hooks);
    }
    await super.onTestRunEnd(modules);
  }

  async writeReport(report) {
    const { testResults, ...totals } = JSON.parse(report);
    const outside = this.#outside.map((error) => ({
      name: `${error.type ?? 'Error'} outside a test${placeOf(error)}`,
      ...{ status: 'failed', message: textOf(error), assertionResults: [] },
    }));
    await super.writeReport(JSON.stringify({ ...totals, testResults: [...testResults, ...outside] }));
  }
}

const textOf = (error, hooks = []) => [error, ...causesOf(error), ...hooks].map(wordsOf).join('\n  beside: ');

/** Vitest makes the error of a time limit, with its stack, before it knows the words. */
const wordsOf = ({ stack, message }) =>
  stack?.replace('Error: STACK_TRACE_ERROR', () => `Error: ${message}`) ?? message;

/** The test that ran, or the file: where the error came from, unless it is left from one that had ended. */
const placeOf = ({ VITEST_TEST_NAME: test, VITEST_TEST_PATH: path }) =>
  path === undefined ? '' : `, while ${path} ran${test === undefined ? '' : `: ${test}`}`;

function* causesOf({ cause }) {
  if (cause === undefined || cause === null) return;
  yield cause;
  yield* causesOf(cause);
}
