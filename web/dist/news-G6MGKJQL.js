import{a,b,c}from"./chunk-AIBKY3VB.js";import"./chunk-NWDS5W7U.js";c();export{b as default,a as tabs};
