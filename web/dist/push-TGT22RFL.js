import{a,b,c}from"./chunk-I2WAKJEZ.js";import"./chunk-5XOGUIOE.js";c();export{b as Push,a as renewPush};
