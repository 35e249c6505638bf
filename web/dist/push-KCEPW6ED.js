import{a,b,c}from"./chunk-OF2KX6IQ.js";import"./chunk-WXQVR26E.js";c();export{b as Push,a as renewPush};
