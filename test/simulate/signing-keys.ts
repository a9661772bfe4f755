/** Keys of P-256: the private number, and the two of the public point. */
const KEYS: readonly (readonly [d: string, x: string, y: string])[] = [
  [
    'pHDrf88gUb6FcLuaOCriUpcQz8dc5G_X_VyUDnn5gO8',
    'F1bOcMtBOm0XN4y1jbWSrCRNUgU9D7TPWHVZFSSXXxc',
    'aNKB02S9NGqTVFKfeePqJEWCR5C5gAnfZ2v2JRhuoOU',
  ],
  [
    'MmOZN60rGD1MV1-6YOtQr__Q8ClcyDA1WUq9Y3Xnsa4',
    'kJCOjd8RcrKGYRO35p8JeRSCsOLBOed77MCHJE_6YYA',
    'XV3g0BY68TZYnGfASB4hFkKMFe-Yzdz6n5nN0L2aMOg',
  ],
  [
    'ytiByOgxR-QaHUxuHUbdinR98mFg6aGrnI8o3qRtjVc',
    '-CWAUCZuihOQi1EzgskmndX3HFEqsHp9H69GzDPHcXA',
    'jXMUuOMl_wCZ_wWsKmtEcDmETo9eR0APxbfl-C-Ttas',
  ],
  [
    'euXq7RKrcb9SfGFIbjt0rwz_cf-TmQfmHMcgGj8TdZ8',
    'DdhJmQYIqu_RSRIqIQSXC6XNlMmibN1bgpO3VqTZ2uQ',
    'kCfI0T18ElvHMBnPvgTWOTbXvtxnGuo3y67ywIAH6OA',
  ],
  [
    'w48ob84RY2lqx5CJzl2rpWLRozAO_5D5kYsJjF9lm6A',
    'i8SJvbC6WFDQbH-gBQycDESjgdi6b426qcesYGG6fpc',
    'qx8-PQy32Vbmi85mgfFZMIOj3HzX3u3ZjbVVH04zm_0',
  ],
  [
    'egFg9vXus76U5zOdv13NLkoMmN-9aSjLMolmLax_mJw',
    '0m9Jr-rsYWk7SEKguIHHsMR9M8v-A8dAxeuJ_iKqU08',
    'iCpoDFnWeR4s5FsCq8bor_gasaD9r4MPgscTgeD1Ht8',
  ],
  [
    '1yc-d0xXhDCQID-bi_PnpIFABXNZZydc7QJ7xdv4xNU',
    'LdGeJstMm_G-8658LvJgx684e6ljqoMOeSP0wKgpL7U',
    '21Aa_SBgsZQpq3YROHnTvE4OVXazNWC9q8UUkzbM1bg',
  ],
  [
    'ojYtLiSwDATgqVtgnDXqqyzeoqBSoD1DfmcjUAN6-JM',
    'OM4ws-qgC4b9FNgFFGUzzha3lLLZqwACaHJ6MAyok3E',
    'GYiWkz2o87Gle9ovATwUmqcT2auebckj-YWpi1FeCpc',
  ],
];
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * Returns the key that a server of a world makes: one of a few, since new ones would be others in each run.
 *
 * @param number how many were made before in the world
 */
export async function signingKey(number: number): Promise<CryptoKeyPair> {
  const key = KEYS[number];
  if (key === undefined) throw new Error(`a world has only ${KEYS.length} signing keys`);
  const [d, x, y] = key;
  const common = { kty: 'EC', crv: 'P-256', x, y };
  const privateKey = await crypto.subtle.importKey('jwk', { ...common, d }, P256, true, ['sign']);
  const publicKey = await crypto.subtle.importKey('jwk', common, P256, true, ['verify']);
  return { privateKey, publicKey };
}
