import{d as a,e as b,f as c}from"./chunk-RM4GS4AL.js";import"./chunk-ZNNRHI7D.js";import"./chunk-7ADJAKF5.js";import"./chunk-5H5K2FAG.js";c();export{a as default,b as enters};
