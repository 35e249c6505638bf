import{d as a,e as b,f as c}from"./chunk-2HTRG7VJ.js";import"./chunk-5UXV3SBI.js";import"./chunk-CXPSQ2RJ.js";import"./chunk-EVZR4T6Z.js";c();export{a as default,b as enters};
