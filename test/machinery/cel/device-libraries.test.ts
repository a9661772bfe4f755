import { expect, it } from 'vitest';
import {
  baseLibraries,
  bindingsLibrary,
  CelCompileError,
  createCelEnvironment,
  semverLibrary,
} from '../../../src/machinery/cel/index.js';

const environment = await createCelEnvironment({
  variables: {},
  libraries: [...baseLibraries, semverLibrary, bindingsLibrary],
});
const valueOf = (expression: string) => environment.compile(expression).evaluate({}).value;

it.each([
  ['semver("1.2.3").major()', 1n],
  ['semver("18446744073709551615.2.3").minor()', 2n],
  ['isSemver("18446744073709551616.2.3")', false],
  ['isSemver("1.2.3-18446744073709551615")', true],
  ['isSemver("1.2.3-rc.18446744073709551616")', false],
  ['semver("1.2.3").minor()', 2n],
  ['semver("1.2.3").patch()', 3n],
  ['semver("1.2.3") == semver("1.2.3+build")', true],
  ['semver("1.10.0").isGreaterThan(semver("1.9.0"))', true],
  ['semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))', true],
  ['semver("2.0.0").compareTo(semver("10.0.0"))', -1n],
  ['isSemver("1.0")', false],
  ['isSemver("1.0.0-alpha.1")', true],
  ['cel.bind(x, 2, x * x + x)', 6n],
  ['cel.bind(x, 1, cel.bind(y, x + 1, [x, y].map(z, z * 2))) == [2, 4]', true],
  ['cel.bind(x, [1, 2], x.exists(i, i == 2)) && cel.bind(x, true, x)', true],
])('%s', (expression, value) => {
  expect(valueOf(expression)).toEqual(value);
});

it('refuses an invalid version when it is evaluated', () => {
  expect(() => valueOf('semver("1.0").major()')).toThrow('Invalid Semantic Version');
});

it('refuses a binding without a name', () => {
  expect(() => valueOf('cel.bind("x", 1, 2)')).toThrow(CelCompileError);
  expect(() => valueOf('cel.bind(x, 1, y)')).toThrow("undeclared reference to 'y'");
});
