import{d as a,e as b,f as c}from"./chunk-JX6PBBUF.js";import"./chunk-B7DVLWSS.js";import"./chunk-V2YL5YGU.js";import"./chunk-UN3BADVL.js";c();export{a as default,b as enters};
