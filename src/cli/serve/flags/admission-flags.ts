import { list, text } from '../../flags/kinds.js';

/** The admission flags of `serve`. */
export const admissionFlags = {
  'enable-admission-plugins': list(
    'NAMES',
    [],
    'Admission plugins to run in addition to those that run by default (docs/reference/admission-plugins.md).',
  ),
  'disable-admission-plugins': list(
    'NAMES',
    [],
    'Admission plugins not to run, although they run by default (docs/reference/admission-plugins.md).',
  ),
  'admission-control-config-file': text(
    'FILE',
    '',
    'AdmissionConfiguration: the configurations of admission plugins (docs/reference/admission-plugins.md).',
  ),
};
