/**
 * Named formats of text: `format.dns1123Label().validate(text)` returns the problems of a text, or none.
 *
 * @module
 */
import {
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  labelValue,
  parseTime,
  qualifiedName,
} from '../../../foundation/index.js';
import { scaleBounds, unknownSize } from '../cost/cost-bounds.js';
import { PATTERN_FACTOR, patternCost } from '../cost/meter.js';
import { CelOpaque, CelOptional, fromJson } from '../evaluate/values.js';
import { declare, method, overload, type CelLibrary } from '../types/declarations.js';
import { listType, opaqueType, optionalType, stringType } from '../types/types.js';
import { traversalBounds } from './estimates.js';
import { strictUrl } from './url.js';

/** A format of text. */
interface NamedFormat {
  /** Returns the problems of a text; none for a valid text. */
  readonly problemsOf: (text: string) => readonly string[];
  /** Length of a pattern that takes as long as the check. */
  readonly patternLength: number;
}

/** A format as a value. */
class FormatValue extends CelOpaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly format: NamedFormat;

  constructor(format: NamedFormat) {
    super();
    this.format = format;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof FormatValue && other.format === this.format;
  }
}

const formatType = opaqueType('kubernetes.NamedFormat', FormatValue);

const LABEL_PATTERN_LENGTH = 30;
const SUBDOMAIN_PATTERN_LENGTH = 60;
/** Length of the longest pattern, for estimates. */
const MAX_PATTERN_LENGTH = 128;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;

/** The numbers of the time zone are not checked, as in Kubernetes. */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hours = '', minutes = '', seconds = ''] = TIME.exec(time) ?? ['', '99'];
  return isDate(date) && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const checkedBy =
  (isValid: (text: string) => boolean, problem: string) =>
  (text: string): readonly string[] =>
    isValid(text) ? [] : [problem];

function uriProblems(text: string): readonly string[] {
  const url = strictUrl(text);
  return typeof url === 'string' ? [url] : [];
}

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  Object.entries<NamedFormat>({
    dns1123Label: { problemsOf: (text) => dnsLabel(text, false), patternLength: LABEL_PATTERN_LENGTH },
    dns1123Subdomain: { problemsOf: (text) => dnsSubdomain(text, false), patternLength: SUBDOMAIN_PATTERN_LENGTH },
    dns1035Label: { problemsOf: (text) => dnsLabel1035(text, false), patternLength: LABEL_PATTERN_LENGTH },
    qualifiedName: { problemsOf: qualifiedName, patternLength: SUBDOMAIN_PATTERN_LENGTH },
    dns1123LabelPrefix: { problemsOf: (text) => dnsLabel(text, true), patternLength: LABEL_PATTERN_LENGTH },
    dns1123SubdomainPrefix: { problemsOf: (text) => dnsSubdomain(text, true), patternLength: SUBDOMAIN_PATTERN_LENGTH },
    dns1035LabelPrefix: { problemsOf: (text) => dnsLabel1035(text, true), patternLength: LABEL_PATTERN_LENGTH },
    labelValue: { problemsOf: labelValue, patternLength: 40 },
    uri: { problemsOf: uriProblems, patternLength: 1103 },
    uuid: {
      problemsOf: checkedBy((text) => UUID.test(text), 'does not match the UUID format'),
      patternLength: 70,
    },
    byte: { problemsOf: checkedBy((text) => BASE64.test(text), 'invalid base64'), patternLength: 84 },
    date: { problemsOf: checkedBy(isDate, 'invalid date'), patternLength: 71 },
    datetime: { problemsOf: checkedBy(isDateTime, 'invalid datetime'), patternLength: 71 },
  }),
);

const values: ReadonlyMap<string, FormatValue> = new Map(
  [...formats].map(([name, format]) => [name, new FormatValue(format)]),
);

/** The named formats. Kubernetes 1.31 offers them only to expressions that are already stored. */
export const formatLibrary: CelLibrary = {
  name: 'format',
  functions: [
    ...[...values].map(([name, value]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], formatType, () => value),
      ),
    ),
    declare(
      'format.named',
      overload('format-named', [stringType], optionalType(formatType), ([name]) => CelOptional.of(values.get(name))),
    ),
    declare('validate', {
      ...method(
        'format-validate',
        [formatType, stringType],
        optionalType(listType(stringType)),
        ([{ format }, text]) => {
          const problems = format.problemsOf(text);
          return CelOptional.of(problems.length === 0 ? undefined : fromJson(problems));
        },
        ([{ format }, text]) => patternCost(text, format.patternLength),
      ),
      estimate: ([, text]) => ({
        cost: scaleBounds(traversalBounds(text?.size ?? unknownSize), MAX_PATTERN_LENGTH * PATTERN_FACTOR),
      }),
    }),
  ],
};
