import{d as a,e as b,f as c}from"./chunk-RP6FULVU.js";import"./chunk-SWSDX4JB.js";import"./chunk-CTUC4FLF.js";import"./chunk-2WWN6WQ5.js";c();export{a as default,b as enters};
