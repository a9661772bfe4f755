import { goQuote, parseQuantity, verbatim, VerbatimValue } from '../../../../foundation/index.js';

/** Returns a quantity as some errors of Kubernetes show it: as a Go value with its inner fields. */
export function goQuantity(text: string): VerbatimValue {
  return new VerbatimValue(quantityText(text));
}

/** Returns a map of quantities as a Go value. */
export function goResourceList(amounts: Readonly<Record<string, string>> | undefined): VerbatimValue {
  if (amounts === undefined) return new VerbatimValue('core.ResourceList(nil)');
  const entry = (name: string): string => `${goQuote(name)}:${quantityText(amounts[name] ?? '')}`;
  return verbatim(amounts, () => `core.ResourceList{${Object.keys(amounts).sort().map(entry).join(', ')}}`);
}

function quantityText(text: string): string {
  // Kubernetes reads "0" without its format.
  const zero = text === '0' && { format: '', originalText: text };
  const { unscaled = 0n, scale = 0, format = 'DecimalSI', originalText = '' } = { ...parseQuantity(text), ...zero };
  return (
    `resource.Quantity{i:resource.int64Amount{value:${unscaled}, scale:${scale}}, ` +
    `d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:${goQuote(originalText)}, Format:${goQuote(format)}}`
  );
}
