import{d as a,e as b,f as c}from"./chunk-ZXGUZB33.js";import"./chunk-P2BPEBYR.js";import"./chunk-PSJE57I5.js";import"./chunk-QNNZSPSD.js";c();export{a as default,b as enters};
