import{d as a,e as b,f as c}from"./chunk-PXCCZ4BP.js";import"./chunk-JRSHW7SU.js";import"./chunk-FMFNQREV.js";import"./chunk-DTGVUE5H.js";c();export{a as default,b as enters};
