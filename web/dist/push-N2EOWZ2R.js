import{a,b,c}from"./chunk-FPYLPVCY.js";import"./chunk-SM5NGPOV.js";c();export{b as Push,a as renewPush};
