import{a,b,c,d}from"./chunk-2PL6SJMC.js";import"./chunk-GL2IDRP7.js";import"./chunk-EVZR4T6Z.js";d();export{c as Security,a as default,b as identity};
