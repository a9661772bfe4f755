/**
 * The extension functions on text, in the version of Kubernetes (including `format` and `strings.quote`). Indices count
 * code points.
 *
 * @module
 */
import { utf8Length } from '../../../foundation/index.js';
import { textCost, TRAVERSAL_FACTOR } from '../cost/meter.js';
import { declare, methodInSteps, overloadInSteps, type CelLibrary } from '../types/declarations.js';
import { dynType, intType, listType, stringType } from '../types/types.js';
import { formatText } from './format.js';
import { join, lowerAscii, quote, replace, split, trim, upperAscii } from './string-edits.js';
import { charAt, indexOf, indexOfFrom, lastIndexOf, lastIndexOfFrom, substring } from './string-positions.js';

const stringList = listType(stringType);
/** No cost before the call: the call charges for itself. */
const free = (): number => 0;
const once = ([text]: readonly [string, ...unknown[]]): number => textCost(text);
const twice = ([text]: readonly [string, ...unknown[]]): number => textCost(text, 2);
/** Kubernetes counts the bytes of the text that is searched, and rounds down. */
const searching = ([text]: readonly [string, ...unknown[]]): number => Math.floor(utf8Length(text) * TRAVERSAL_FACTOR);

/** The functions on strings besides those of the language. */
export const stringsLibrary: CelLibrary = {
  name: 'strings',
  functions: [
    declare(
      'charAt',
      methodInSteps('string_char_at_int', [stringType, intType], stringType, ([text, index], { meter }) =>
        charAt(text, index, meter),
      ),
    ),
    declare(
      'format',
      methodInSteps(
        'string_format',
        [stringType, listType(dynType)],
        stringType,
        ([text, values], { meter }) => formatText(text, values, meter),
        once,
      ),
    ),
    declare(
      'indexOf',
      methodInSteps(
        'string_index_of_string',
        [stringType, stringType],
        intType,
        ([text, part], { meter }) => indexOf(text, part, meter),
        searching,
      ),
      methodInSteps(
        'string_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        ([text, part, from], { meter }) => indexOfFrom(text, part, from, meter),
        searching,
      ),
    ),
    declare(
      'join',
      methodInSteps('list_join', [stringList], stringType, ([list], { meter }) => join(list, '', meter), free),
      methodInSteps(
        'list_join_string',
        [stringList, stringType],
        stringType,
        ([list, separator], { meter }) => join(list, separator, meter),
        free,
      ),
    ),
    declare(
      'lastIndexOf',
      methodInSteps(
        'string_last_index_of_string',
        [stringType, stringType],
        intType,
        ([text, part], { meter }) => lastIndexOf(text, part, meter),
        searching,
      ),
      methodInSteps(
        'string_last_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        ([text, part, from], { meter }) => lastIndexOfFrom(text, part, from, meter),
        searching,
      ),
    ),
    declare(
      'lowerAscii',
      methodInSteps(
        'string_lower_ascii',
        [stringType],
        stringType,
        ([text], { meter }) => lowerAscii(text, meter),
        once,
      ),
    ),
    declare(
      'upperAscii',
      methodInSteps(
        'string_upper_ascii',
        [stringType],
        stringType,
        ([text], { meter }) => upperAscii(text, meter),
        once,
      ),
    ),
    declare(
      'strings.quote',
      overloadInSteps('strings_quote', [stringType], stringType, ([text], { meter }) => quote(text, meter), once),
    ),
    declare(
      'replace',
      methodInSteps(
        'string_replace_string_string',
        [stringType, stringType, stringType],
        stringType,
        ([text, old, by], { meter }) => replace(text, old, by, -1n, meter),
        twice,
      ),
      methodInSteps(
        'string_replace_string_string_int',
        [stringType, stringType, stringType, intType],
        stringType,
        ([text, old, by, limit], { meter }) => replace(text, old, by, limit, meter),
        twice,
      ),
    ),
    declare(
      'split',
      methodInSteps(
        'string_split_string',
        [stringType, stringType],
        stringList,
        ([text, separator], { meter }) => split(text, separator, -1n, meter),
        twice,
      ),
      methodInSteps(
        'string_split_string_int',
        [stringType, stringType, intType],
        stringList,
        ([text, separator, limit], { meter }) => split(text, separator, limit, meter),
        twice,
      ),
    ),
    declare(
      'substring',
      methodInSteps(
        'string_substring_int',
        [stringType, intType],
        stringType,
        ([text, start], { meter }) => substring(text, start, undefined, meter),
        once,
      ),
      methodInSteps(
        'string_substring_int_int',
        [stringType, intType, intType],
        stringType,
        ([text, start, end], { meter }) => substring(text, start, end, meter),
        once,
      ),
    ),
    declare(
      'trim',
      methodInSteps('string_trim', [stringType], stringType, ([text], { meter }) => trim(text, meter), once),
    ),
  ],
};
